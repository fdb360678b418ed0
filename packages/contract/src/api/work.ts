/*
 * The work of conditions, mappings and templates that users write. A unit of work takes a common processor about a
 * nanosecond. Work is counted instead of timed, so that an event has the same outcome on a busy machine.
 */

/** Subtracts work from the remaining budget; throws when the budget is used up. */
export type SpendWork = (work: number) => void

/** A budget without a limit, for work that other code bounds. */
export const spendFreely: SpendWork = () => {}

/** Work per visited item of a list or object. */
export const itemWork = 40

/** Work of creating text: per item of a list or object, and per character. */
const perValue = 100
const perCharacter = 4

/**
 * Returns the work of converting a whole value into text. Counting stops above `maxWork`, so that a large value is not
 * visited to its end.
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

/**
 * Returns the work of searching a part in a text. At worst, each character of the text is compared with each character
 * of the part.
 */
export const workOfText = (text: string, part: string): number => text.length * Math.ceil(part.length / 16)
