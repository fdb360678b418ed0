/** The possible types of a column after all of its values until now. */
type Candidate = { type: string; fits: (text: string) => boolean }

/** More digits than a double holds make an id, not a number. */
const digits = 15

/** The text after the day of a time. Leap seconds are not accepted, since few databases have them. */
const isTime = /^[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/

/** True for a day that the calendar has. */
const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  // A day that the month does not have is another one, or none.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const candidates: readonly Candidate[] = [
  { type: 'boolean', fits: (text) => /^(?:true|false)$/i.test(text) },
  { type: 'bigint', fits: (text) => text.length <= digits + 1 && /^-?(?:0|[1-9]\d{0,14})$/.test(text) },
  { type: 'numeric', fits: (text) => text.length <= digits + 2 && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) },
  { type: 'date', fits: (text) => text.length === 10 && isDay(text) },
  { type: 'timestamp', fits: (text) => isTime.test(text.slice(10)) && isDay(text.slice(0, 10)) },
]

/**
 * Finds the type of a column of texts by all of its values: the first of boolean, bigint, numeric, date and timestamp
 * that every value fits, otherwise text. A value with a needless leading 0, such as a ZIP code, or with more than 15
 * digits is text.
 */
export const createTypeFinder = (): { see(text: string): void; type(): string } => {
  let left = candidates
  let seen = false
  return {
    see(text) {
      seen = true
      if (left.some(({ fits }) => !fits(text))) left = left.filter(({ fits }) => fits(text))
    },
    type: () => (seen ? (left[0]?.type ?? 'text') : 'text'),
  }
}
