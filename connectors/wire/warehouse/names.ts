import { createHash } from 'node:crypto'
import { withoutEnds } from '@tributary/connector-kit'

/** Maximum bytes of a name, so that names are the same in every warehouse: PostgreSQL has the lowest limit. */
export const identifierBytes = 63

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

/**
 * Truncates a name to the maximum length. A truncated name ends in a hash of `original`, so that different long names
 * stay different.
 */
export const fitted = (name: string, original: string): string => {
  if (Buffer.byteLength(name) <= identifierBytes) return name
  let cut = ''
  for (const character of name) {
    if (Buffer.byteLength(cut + character) > identifierBytes - 9) break
    cut += character
  }
  return `${cut}_${hashOf(original)}`
}

/**
 * Returns the snake_case name of a table or column for a name of an event, property or trait. Letters and digits of any
 * script become lower case, and all other characters become underscores: `Order Completed`, `orderCompleted` and
 * `order-completed` are the same. A name without any letter or digit becomes its hash. The result is never empty, never
 * longer than an identifier can be, and never begins with a digit.
 */
export const snakeCase = (text: string): string => {
  const underscored = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '_')
  const words = withoutEnds(underscored, '_')
  if (words === '') return `_${hashOf(text)}`
  return fitted(/^\p{N}/u.test(words) ? `_${words}` : words, text)
}
