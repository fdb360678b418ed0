const file = ': (in file/uri '
const executing = ': While executing '

/** The engine's message without the name of the rows' file and the steps that read it, in linear time. */
export const withoutPlace = (message: string): string => {
  const start = message.indexOf(file)
  const close = start < 0 ? -1 : message.indexOf(')', start)
  const words = close < 0 ? message : message.slice(0, start).trimEnd() + message.slice(close + 1)
  let kept = words.trimEnd().replace(/\.$/, '')
  let steps = 0
  for (;;) {
    const step = kept.lastIndexOf(executing)
    if (step < 0 || !/^\w+$/.test(kept.slice(step + executing.length))) break
    kept = kept.slice(0, step)
    steps += 1
  }
  return steps === 0 ? words : kept
}
