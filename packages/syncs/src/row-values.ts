import type { DataRow } from '@tributary/connector-kit'
import { type DataColumn, type SyncField, syncLimits } from '@tributary/contract'
import { cutText } from '@tributary/kernel'
import { encoderOf } from './value-kinds.ts'

/** A staged row. A row with a problem is not sent. */
export type StagedRow = {
  /** The key at the destination; '' if the row has none. */
  key: string
  /** The key in the model. */
  sourceKey: string
  /** The row at the destination, as JSON with its members sorted by name. */
  payload: string
  problem: string
}

const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Thrown if rows cannot be staged, because the query no longer has the column. */
export class MissingColumn extends Error {
  readonly column: string
  constructor(column: string) {
    super(`The model has no column ${column} any more`)
    this.column = column
  }
}

/**
 * Creates a function that finds the index of a column by its name; throws MissingColumn if the column does not exist.
 */
export const columnPlaces =
  (columns: readonly DataColumn[]) =>
  (name: string): number => {
    const place = columns.findIndex((column) => column.name === name)
    if (place === -1) throw new MissingColumn(name)
    return place
  }

/**
 * Creates the function that returns the primary key of a row: the value of its only column, or a JSON list of the
 * values of several columns.
 */
export const sourceKeys = (placeOf: (name: string) => number, primaryKey: readonly string[]) => {
  const keyPlaces = primaryKey.map(placeOf)
  const sourceKeyOf = (row: DataRow): string => {
    const [first] = keyPlaces
    if (keyPlaces.length === 1 && first !== undefined) return row[first] ?? ''
    return JSON.stringify(keyPlaces.map((place) => row[place] ?? null))
  }
  return { keyPlaces, sourceKeyOf }
}

/**
 * Creates the function that converts rows of a model to staged rows. The payload is canonical: the same values with the
 * same mapping give exactly the same text. Throws MissingColumn if a mapped column or a key column does not exist.
 */
export const stagedRows = (
  columns: readonly DataColumn[],
  given: { primaryKey: readonly string[]; fields: readonly SyncField[]; identifier: string },
): ((row: DataRow) => StagedRow) => {
  const placeOf = columnPlaces(columns)
  const { keyPlaces, sourceKeyOf } = sourceKeys(placeOf, given.primaryKey)
  const fields = given.fields
    .map(({ column, target }) => {
      const place = placeOf(column)
      return { target, place, head: `${JSON.stringify(target)}:`, encode: encoderOf(columns[place]?.type ?? '') }
    })
    .toSorted((a, b) => (a.target < b.target ? -1 : 1))
  const identifierPlace = fields.find(({ target }) => target === given.identifier)?.place ?? -1
  const isJson = /^jsonb?$/.test(columns[identifierPlace]?.type ?? '')
  /** Returns the key of a text. A text that is JSON of a string counts as that string. */
  const keyOf = (text: string | null): string | null =>
    isJson && text?.startsWith('"') === true && isJsonText(text) ? String(JSON.parse(text)) : text
  return (row) => {
    const sourceKey = cutText(sourceKeyOf(row), syncLimits.keyCharacters).toWellFormed()
    const key = keyOf(row[identifierPlace] ?? null)
    const broken = (problem: string, known = ''): StagedRow => ({ key: known, sourceKey, payload: '', problem })
    if (key === null) return broken(`${given.identifier} is null`)
    if (key === '') return broken(`${given.identifier} is empty`)
    if (key.length > syncLimits.keyCharacters)
      return broken(`${given.identifier} is longer than ${syncLimits.keyCharacters} characters`)
    const known = key.toWellFormed()
    if (keyPlaces.some((place) => (row[place] ?? null) === null)) return broken('The primary key is null', known)
    let payload = ''
    for (const { place, head, encode } of fields) {
      const value = row[place] ?? null
      payload += `${payload === '' ? '{' : ','}${head}${value === null ? 'null' : encode(value)}`
    }
    payload += '}'
    if (payload.length > syncLimits.rowCharacters)
      return broken(`The row is longer than ${syncLimits.rowCharacters / 1024} KiB`, known)
    return { key: known, sourceKey, payload, problem: '' }
  }
}
