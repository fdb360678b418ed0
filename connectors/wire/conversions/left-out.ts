import { cutText } from '@tributary/connector-kit'

/** Maximum parts that a note names. */
const maxNamed = 5
const maxCharacters = 160

/** Returns the note of a delivery that names what was left out of the event; undefined if nothing was. */
export const noteOf = (leftOut: readonly string[]): string | undefined => {
  if (leftOut.length === 0) return undefined
  const named = leftOut.slice(0, maxNamed).map((part) => cutText(part, maxCharacters).toWellFormed())
  const more = leftOut.length - named.length
  return `Sent without ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
