/** What values of a column can still be, as all of them so far are. */
type Candidate = { type: string; fits: (text: string) => boolean }

/** More digits than a double holds make an id, not a number. */
const digits = 15

const candidates: readonly Candidate[] = [
  { type: 'boolean', fits: (text) => /^(?:true|false)$/i.test(text) },
  { type: 'bigint', fits: (text) => text.length <= digits + 1 && /^-?(?:0|[1-9]\d{0,14})$/.test(text) },
  { type: 'numeric', fits: (text) => text.length <= digits + 2 && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) },
  { type: 'date', fits: (text) => /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text) },
  {
    type: 'timestamp',
    fits: (text) =>
      /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T ][0-2]\d:[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/.test(
        text,
      ),
  },
]

/**
 * Finds the type of a column of texts by all of its values: the first of boolean, bigint, numeric, date and timestamp that every
 * value fits, else text. What begins with a needless 0, such as a ZIP code, and what has more than 15 digits is text.
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
