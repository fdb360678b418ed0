import { ConfigurationError } from '@tributary/connector-kit'
import type { KeyedTable } from './table-object.ts'

/** Keys that are asked for together, and characters of one: as many of these as fit an answer of 1 MiB, whatever the letters. */
export const keysOfPage = 250
export const keyCharacters = 1000

/**
 * Types of keys of which two values are the same in words when they are the same to the database, but for letter case, accents, spaces
 * and how a number is written.
 */
const plainTypes =
  /^(?:(?:tiny|small|medium|big)?int(?:eger)?|numeric|decimal|(?:tiny|medium|long)?text|(?:var)?char|character(?: varying)?|citext|uuid)\b(?!.*\[\])/

/** Throws ConfigurationError where the keys of a table cannot be compared with those of rows. */
export const requirePlainKey = ({ table, key }: KeyedTable, type: string | undefined): void => {
  if (type === undefined) throw new ConfigurationError(`The table ${table} has no column ${key}`)
  if (!plainTypes.test(type))
    throw new ConfigurationError(
      `The rows of ${table} can't be listed, since its column ${key} has the type ${type}. Use a number, text, or UUID, or don't let the sync own the table`,
    )
}

/** Keys of an object at most: as many as a model may have rows. What a server answers beyond them is not stored. */
const mostKeys = 100_000_000

/**
 * Hands over pages of keys, each behind the last key of the page before, until one is not full. Throws ConfigurationError where a server
 * goes on beyond `most`, or answers what it has answered before: neither would end.
 */
export const listPages = async (
  pageBehind: (last: string | undefined) => Promise<readonly string[]>,
  onKeys: (keys: readonly string[]) => Promise<void>,
  most: number = mostKeys,
): Promise<void> => {
  let last: string | undefined
  for (let listed = 0; ; ) {
    const keys = await pageBehind(last)
    listed += keys.length
    if (listed > most)
      throw new ConfigurationError(`The table can't be listed: it has more than ${most.toLocaleString('en-US')} rows`)
    if (last !== undefined && keys.at(-1) === last)
      throw new ConfigurationError("The table can't be listed: the server answers the same rows again")
    // An empty text is no key of a row.
    const known = keys.filter((key) => key !== '')
    if (known.length > 0) await onKeys(known)
    if (keys.length < keysOfPage) return
    last = keys.at(-1)
  }
}
