/** A file that is not what it is said to be; the words are for people, and name the line where there is one. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile'
}
