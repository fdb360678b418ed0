/** The first `limit` characters followed by "..."; text of `limit` characters or fewer is untouched. */
export const truncate = (text: string, limit = 24): string => {
  const characters = Array.from(text)
  return characters.length <= limit ? text : `${characters.slice(0, limit).join('')}...`
}

/** `word` with an s when `count` is not 1: pluralise(2, 'event') is "events". */
export const pluralise = (count: number, word: string): string => (count === 1 ? word : `${word}s`)

/** "a_b-c" → "a b c", "firstName" → "first Name". */
export const humanise = (text: string): string =>
  text.replaceAll(/[_-]+/g, ' ').replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')

/** The first letter capitalised; text that is absent or empty becomes "Error". */
export const fieldErrorText = (text: string | undefined): string =>
  text === undefined || text.trim() === '' ? 'Error' : text.charAt(0).toUpperCase() + text.slice(1)

/** At most two letters: of the first and last word, or the first two of a single word. */
export const initials = (title: string): string => {
  const words = title
    .trim()
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
  const first = words[0]
  if (first === undefined) return ''
  const last = words.length > 1 ? words.at(-1) : undefined
  const letters = last === undefined ? Array.from(first).slice(0, 2) : [Array.from(first)[0], Array.from(last)[0]]
  return letters.join('').toUpperCase()
}

/**
 * The default title of a new source or destination: the app's title with only letters, digits and spaces, followed by
 * the number of instances when there are any.
 */
export const defaultTitle = (app: { title: string; instance_count: number }): string => {
  const stem = app.title.replaceAll(/[^\p{L}\p{N} ]/gu, '')
  return app.instance_count > 0 ? `${stem} ${app.instance_count}` : stem
}

/** A whole number with thousands separators in the reader's locale. */
export const count = (value: number): string => new Intl.NumberFormat(undefined).format(value)

/** A number that is estimated: "about 12,300", of three digits that count. */
export const about = (value: number): string => `about ${count(Number(value.toPrecision(3)))}`

/** A whole number in few characters, as an axis shows it: "1.2K". */
export const shortCount = (value: number, locale?: string): string =>
  new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value)

const and = new Intl.ListFormat('en')

/** Names as a sentence lists them: `A, B, and C`. */
export const listed = (names: readonly string[]): string => and.format(names)

/** A message as a sentence among others: it ends with a full stop or what it ends with already. Nothing stays nothing. */
export const sentence = (message: string): string => (/^$|[.!?]$/.test(message) ? message : `${message}.`)
