import type { DataRow } from '@tributary/connector-kit'
import { type DataColumn, type SyncField, syncLimits } from '@tributary/contract'

/** A row as it is staged; one with a problem is sent nowhere. */
export type StagedRow = {
  /** What it is known by at the destination; '' when that cannot be told. */
  key: string
  /** What it is known by in the model. */
  sourceKey: string
  /** What is to be there, as JSON with its members in the order of their names. */
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

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/
const numericType =
  /^(?:tinyint|smallint|mediumint|int|integer|bigint|numeric|decimal|real|float|double|double precision|oid|year)\b/
/** Numbers, and what is read as JSON, as ClickHouse calls them. */
const clickhouseNumber = /^(?:U?Int|Float|BFloat|Decimal)\d*\b/
const clickhouseJson =
  /^(?:Array|Map|Tuple|Nested|JSON|Object|Variant|Dynamic|Point|Ring|(?:Multi)?(?:LineString|Polygon)|Geometry)\b/
const timestamp = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?$/

/** How a value of a column becomes JSON. Values that JSON has no form for, such as NaN, stay texts. */
export const encoderOf = (type: string): ((text: string) => string) => {
  if ((numericType.test(type) && !type.endsWith('[]')) || clickhouseNumber.test(type))
    return (text) => (number.test(text) ? text : JSON.stringify(text))
  if (type === 'boolean') return (text) => (text === 't' ? 'true' : text === 'f' ? 'false' : JSON.stringify(text))
  if (type === 'Bool') return (text) => (text === 'true' || text === 'false' ? text : JSON.stringify(text))
  if (type === 'json' || type === 'jsonb' || clickhouseJson.test(type))
    // A line feed between two values would end the row's line.
    return (text) => (isJsonText(text) ? text.replace(/[\n\r]/g, ' ') : JSON.stringify(text))
  if (/^(?:timestamp|datetime)/.test(type) && !type.endsWith('[]'))
    // As RFC 3339 has it; what has no time zone is taken to be UTC.
    return (text) => JSON.stringify(text.replace(timestamp, '$1T$2Z'))
  return (text) => JSON.stringify(text)
}

/** What rows cannot be staged by: the query has no such column any more. */
export class MissingColumn extends Error {
  readonly column: string
  constructor(column: string) {
    super(`The model has no column ${column} any more`)
    this.column = column
  }
}

/** Finds the place of a column by its name; throws MissingColumn when there is none. */
export const columnPlaces =
  (columns: readonly DataColumn[]) =>
  (name: string): number => {
    const place = columns.findIndex((column) => column.name === name)
    if (place === -1) throw new MissingColumn(name)
    return place
  }

/** Where the primary key of a row is, and what it is: the value of its one column, or a JSON list of several. */
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
 * Makes the function that turns rows of a model into what is staged: the payload is canonical, so that the same values of
 * the same mapping are the same text, to the digit. Throws MissingColumn when a mapped column or one of the key is not there.
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
  /** A text is itself, also where it comes as JSON. */
  const keyOf = (text: string | null): string | null =>
    isJson && text?.startsWith('"') === true && isJsonText(text) ? String(JSON.parse(text)) : text
  return (row) => {
    const sourceKey = sourceKeyOf(row).slice(0, syncLimits.keyCharacters).toWellFormed()
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
