/** A type that a column can still have after the values that were read so far. */
type Candidate = { type: string; fits: (text: string) => boolean }

/** Maximum digits of a number. A value with more digits, which a double cannot hold, is an ID. */
const digits = 15

/** A pattern of the text after the day in a time. Leap seconds are not accepted, because few databases support them. */
const isTime = /^[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/

/** Whether a day exists in the calendar. */
const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  // For a day that does not exist in the month, Date returns another day or an invalid time.
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
 * Creates a function that finds the type of a column of texts by all of its values. It is the first type of boolean,
 * bigint, numeric, date and timestamp that every value fits, otherwise text. A value with a needless leading 0, such as
 * a ZIP code, or with more than 15 digits is text.
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
