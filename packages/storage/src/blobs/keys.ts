const part = /^[A-Za-z0-9._-]{1,200}$/
const longestKey = 1_000

/** Thrown for a key or content type that no object can have. */
export class InvalidBlob extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidBlob'
  }
}

/**
 * The parts of a key: each of 1 to 200 characters of `[A-Za-z0-9._-]` and neither `.` nor `..`, together at most 1,000.
 * @throws InvalidBlob
 */
export const keyParts = (key: string): string[] => {
  const parts = key.split('/')
  const valid = parts.every((name) => part.test(name) && name !== '.' && name !== '..')
  if (!valid || key.length > longestKey) throw new InvalidBlob(`${JSON.stringify(key.slice(0, 100))} is no valid key`)
  return parts
}

/** Checks a content type: visible ASCII of at most 200 characters. @throws InvalidBlob */
export const checkContentType = (contentType: string): void => {
  if (!/^[\x21-\x7e][\x20-\x7e]{0,199}$/.test(contentType)) throw new InvalidBlob('The content type is not valid')
}
