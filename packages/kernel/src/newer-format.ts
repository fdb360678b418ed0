import { isRecord } from './record.ts'

/**
 * Thrown by a reader of data that a newer version of the product wrote in a format that this version does not support.
 * Such data must not be skipped or guessed: only a process of that version can handle it.
 */
export class NewerFormat extends Error {
  override readonly name = 'NewerFormat'
  constructor(what: string) {
    super(`${what} is of a newer version of Tributary. Update this process`)
  }
}

/**
 * Rejects a value that another process wrote in a format that this version does not support. Values that processes
 * write for each other have format 1, or name their format in `v`. A version that reads format 2 is released before the
 * version that writes it. Additions that readers may skip need no new format, because readers ignore unknown names.
 *
 * @throws NewerFormat
 */
export const requireKnownFormat = (what: string, value: unknown, known = 1): void => {
  if (isRecord(value) && value['v'] !== undefined && !(typeof value['v'] === 'number' && value['v'] <= known))
    throw new NewerFormat(what)
}
