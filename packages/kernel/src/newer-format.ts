import { isRecord } from './record.ts'

/**
 * Thrown by who meets what a newer version of the product wrote, in a form that this one does not know. Nothing may be passed over or guessed then: it is
 * for a process of that version.
 */
export class NewerFormat extends Error {
  override readonly name = 'NewerFormat'
  constructor(what: string) {
    super(`${what} is of a newer version of Tributary. Update this process`)
  }
}

/**
 * Refuses a value that another process wrote in a form that this one does not know. What processes write for each other is of the first form, or says in `v` of which:
 * a version that reads form 2 comes before the one that writes it. What readers may pass over needs no form: names that they do not know.
 *
 * @throws NewerFormat
 */
export const requireKnownFormat = (what: string, value: unknown, known = 1): void => {
  if (isRecord(value) && value['v'] !== undefined && !(typeof value['v'] === 'number' && value['v'] <= known))
    throw new NewerFormat(what)
}
