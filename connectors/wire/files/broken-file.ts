/** A file whose content does not match its format; the message is for people, and names the line if there is one. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile'
}
