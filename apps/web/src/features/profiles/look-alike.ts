/** Alphabets with letters of the same shape: Latin, Greek and Cyrillic. */
const alphabets = [/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u]

/**
 * Why an identifier can look like another one, as text; undefined if it cannot. Identifiers are compared exactly, so
 * two that look the same can be two users.
 */
export const lookAlike = (value: string): string | undefined => {
  if (value.trim() !== value) return 'Spaces around it'
  // Zero-width characters and the like, and special spaces.
  if (/[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(value)) return 'Invisible characters'
  if (alphabets.filter((letters) => letters.test(value)).length > 1) return 'Mixed alphabets'
  return value === value.normalize('NFC') ? undefined : 'Combined characters'
}
