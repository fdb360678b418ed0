/**
 * Thrown for a file whose content does not match its format. The message is for users, and names the line if there is
 * one.
 */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile'
}
