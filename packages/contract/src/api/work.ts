/*
 * Work of what people write and others run, such as conditions, mappings and templates: counted in units of about a
 * nanosecond of a common processor, not timed, so that the same event has the same outcome on a busy machine.
 */

/** Takes so much work from what is left; throws where that is used up. */
export type SpendWork = (work: number) => void

/** Spends without bound, for what was bounded otherwise. */
export const spendFreely: SpendWork = () => {}

/** An item of a list or object that is gone through. */
export const itemWork = 40

/** Making text of one: an item of a list or object, and a character. */
const perValue = 100
const perCharacter = 4

/**
 * What it takes to make text of a whole value, with everything in it; whoever only asks whether it is more than `most` need
 * not wait for the end of a large one.
 */
export const workOfValue = (value: unknown, most: number = Number.POSITIVE_INFINITY): number => {
  let work = 0
  const left: unknown[] = [value]
  while (left.length > 0 && work <= most) {
    const next = left.pop()
    work += perValue
    if (typeof next === 'string') work += perCharacter * next.length
    else if (Array.isArray(next)) {
      // A list is not taken apart when its items alone are too many.
      work += itemWork * next.length
      if (work <= most) for (const item of next) left.push(item)
    } else if (typeof next === 'object' && next !== null)
      for (const name in next) {
        if (work > most) break
        work += itemWork + perCharacter * name.length
        left.push((next as Readonly<Record<string, unknown>>)[name])
      }
  }
  return work
}

/** What it takes to look for a part in a text: at worst each character of the one is compared with each of the other. */
export const workOfText = (text: string, part: string): number => text.length * Math.ceil(part.length / 16)
