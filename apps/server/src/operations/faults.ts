import { setFaultHandler } from '@tributary/kernel'

/** Blocks the calling thread forever, like an endless loop. */
const block = (): never => {
  for (;;) {
    // The loop never ends.
  }
}

/**
 * Installs the fault of `TRIBUTARY_FAULT` in this thread:
 * - `<point>[:<count>]` kills the whole process, without any clean-up, when the named point is passed for the count-th
 *   time.
 * - `block:<text>` blocks the thread whenever it works on an item with this name, or one of several separated by `|`.
 */
export const installFault = (fault: string | undefined): void => {
  if (fault === undefined) return
  if (fault.startsWith('block:')) {
    const texts = fault.slice('block:'.length).split('|')
    setFaultHandler((point, about) => {
      if (point === 'work' && texts.some((text) => about.join(' ').includes(text))) block()
    })
    return
  }
  const [point, count = '1'] = fault.split(':')
  let left = Number(count)
  setFaultHandler((name) => {
    if (name !== point) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  })
}
