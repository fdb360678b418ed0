/*
 * The work of conditions, mappings and templates that users write. It is counted in units of about a nanosecond of a
 * common processor. It is not timed, so that the same event has the same outcome on a busy machine.
 */

/** Subtracts work from the remaining budget; throws when it is used up. */
export type SpendWork = (work: number) => void

/** Has no limit, for work that is bounded elsewhere. */
export const spendFreely: SpendWork = () => {}

/** Work per visited item of a list or object. */
export const itemWork = 40

/** Work of making text: per item of a list or object, and per character. */
const perValue = 100
const perCharacter = 4

/**
 * The work of turning a whole value into text. A caller that only compares it with `maxWork` gets an answer before a
 * large value is counted to its end.
 */
export const workOfValue = (value: unknown, maxWork: number = Number.POSITIVE_INFINITY): number => {
  let work = 0
  const left: unknown[] = [value]
  while (left.length > 0 && work <= maxWork) {
    const next = left.pop()
    work += perValue
    if (typeof next === 'string') work += perCharacter * next.length
    else if (Array.isArray(next)) {
      // A list whose length alone exceeds the limit is not visited.
      work += itemWork * next.length
      if (work <= maxWork) for (const item of next) left.push(item)
    } else if (typeof next === 'object' && next !== null)
      for (const name in next) {
        if (work > maxWork) break
        work += itemWork + perCharacter * name.length
        left.push((next as Readonly<Record<string, unknown>>)[name])
      }
  }
  return work
}

/** The work of searching a part in a text: at worst, each character of one is compared with each of the other. */
export const workOfText = (text: string, part: string): number => text.length * Math.ceil(part.length / 16)
