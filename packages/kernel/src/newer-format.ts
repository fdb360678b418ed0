import { isRecord } from './record.ts'

/**
 * Thrown by a reader of data that a newer version of the product wrote, in a form that this one does not support. Such
 * data must not be skipped or guessed: it is for a process of that version.
 */
export class NewerFormat extends Error {
  override readonly name = 'NewerFormat'
  constructor(what: string) {
    super(`${what} is of a newer version of Tributary. Update this process`)
  }
}

/**
 * Refuses a value that another process wrote in a form that this one does not support. Values that processes write for
 * each other have the first form, or name their form in `v`. A version that reads form 2 comes before the one that
 * writes it. Additions that readers may skip need no form: readers ignore unknown names.
 *
 * @throws NewerFormat
 */
export const requireKnownFormat = (what: string, value: unknown, known = 1): void => {
  if (isRecord(value) && value['v'] !== undefined && !(typeof value['v'] === 'number' && value['v'] <= known))
    throw new NewerFormat(what)
}
