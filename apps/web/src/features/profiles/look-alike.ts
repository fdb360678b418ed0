/** Alphabets with letters of the same shape: Latin, Greek and Cyrillic. */
const alphabets = [/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u]

/**
 * Returns why an identifier can look like another one, or undefined if it cannot. Identifiers are compared exactly, so
 * two identifiers that look the same can belong to two users.
 */
export const lookAlike = (value: string): string | undefined => {
  if (value.trim() !== value) return 'Spaces around it'
  // Matches zero-width and similar characters, and special spaces.
  if (/[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(value)) return 'Invisible characters'
  if (alphabets.filter((letters) => letters.test(value)).length > 1) return 'Mixed alphabets'
  return value === value.normalize('NFC') ? undefined : 'Combined characters'
}
