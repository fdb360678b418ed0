/** Returns the first `limit` characters followed by "..."; text of at most `limit` characters stays unchanged. */
export const truncate = (text: string, limit = 24): string => {
  const characters = Array.from(text)
  return characters.length <= limit ? text : `${characters.slice(0, limit).join('')}...`
}

/** Returns `word` with an s unless `count` is 1: "events" for pluralise(2, 'event'). */
export const pluralise = (count: number, word: string): string => (count === 1 ? word : `${word}s`)

/** Splits a name into words: "a_b-c" → "a b c", "firstName" → "first Name". */
export const humanise = (text: string): string =>
  text.replaceAll(/[_-]+/g, ' ').replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')

/** Returns a text with a capital first letter; "Error" if the text is absent or empty. */
export const fieldErrorText = (text: string | undefined): string =>
  text === undefined || text.trim() === '' ? 'Error' : text.charAt(0).toUpperCase() + text.slice(1)

/** Returns at most two letters: those of the first and the last word, or the first two of a single word. */
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
 * Returns the default title of a new source or destination. It is the title of the app with only letters, digits and
 * spaces. The number of instances of the app follows, if there are any.
 */
export const defaultTitle = (app: { title: string; instance_count: number }): string => {
  const stem = app.title.replaceAll(/[^\p{L}\p{N} ]/gu, '')
  return app.instance_count > 0 ? `${stem} ${app.instance_count}` : stem
}

/** Formats a whole number with thousands separators in the locale of the reader. */
export const count = (value: number): string => new Intl.NumberFormat(undefined).format(value)

/** Formats an estimated number with three significant digits: "about 12,300". */
export const about = (value: number): string => `about ${count(Number(value.toPrecision(3)))}`

/** Formats a whole number in few characters, for an axis: "1.2K". */
export const shortCount = (value: number, locale?: string): string =>
  new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value)

const and = new Intl.ListFormat('en')

/** Lists names in a sentence: `A, B, and C`. */
export const listed = (names: readonly string[]): string => and.format(names)

/**
 * Returns a message as a sentence: with a full stop at the end unless it ends with `.`, `!` or `?`. An empty message
 * stays empty.
 */
export const sentence = (message: string): string => (/^$|[.!?]$/.test(message) ? message : `${message}.`)
