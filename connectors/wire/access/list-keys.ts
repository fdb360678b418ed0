import { ConfigurationError } from '@tributary/connector-kit'
import type { KeyedTable } from './table-object.ts'

/**
 * Number of keys per page, and maximum characters of a key. A page then fits into a response of 1 MiB, with any
 * characters.
 */
export const keysOfPage = 250
export const keyCharacters = 1000

/**
 * Types of key columns whose values can be compared as texts. The database may treat texts as equal that differ only in
 * letter case, accents, spaces or the notation of numbers.
 */
const plainTypes =
  /^(?:(?:tiny|small|medium|big)?int(?:eger)?|numeric|decimal|(?:tiny|medium|long)?text|(?:var)?char|character(?: varying)?|citext|uuid)\b(?!.*\[\])/

/** Throws ConfigurationError if the keys of a table cannot be compared with keys of rows. */
export const requirePlainKey = ({ table, key }: KeyedTable, type: string | undefined): void => {
  if (type === undefined) throw new ConfigurationError(`The table ${table} has no column ${key}`)
  if (!plainTypes.test(type))
    throw new ConfigurationError(
      `The rows of ${table} can't be listed, since its column ${key} has the type ${type}. Use a number, text, or UUID, or don't let the sync own the table`,
    )
}

/** Maximum keys of an object, equal to the maximum rows of a model. Further keys are not stored. */
const maxKeys = 100_000_000

/**
 * Returns pages of keys, each after the last key of the previous page, until a page is not full. Throws
 * ConfigurationError if a server exceeds the maximum or repeats keys, because listing would not end.
 */
export const listPages = async (
  pageBehind: (last: string | undefined) => Promise<readonly string[]>,
  onKeys: (keys: readonly string[]) => Promise<void>,
  most: number = maxKeys,
): Promise<void> => {
  let last: string | undefined
  for (let listed = 0; ; ) {
    const keys = await pageBehind(last)
    listed += keys.length
    if (listed > most)
      throw new ConfigurationError(`The table can't be listed: it has more than ${most.toLocaleString('en-US')} rows`)
    if (last !== undefined && keys.at(-1) === last)
      throw new ConfigurationError("The table can't be listed: the server answers the same rows again")
    // An empty text cannot be the key of a row.
    const known = keys.filter((key) => key !== '')
    if (known.length > 0) await onKeys(known)
    if (keys.length < keysOfPage) return
    last = keys.at(-1)
  }
}
