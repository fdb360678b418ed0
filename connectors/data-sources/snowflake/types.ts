import type { DataColumn } from '@tributary/connector-kit'
import { quoted } from '../../wire/snowflake/account.ts'
import type { ResultColumn } from '../../wire/snowflake/client.ts'

/** Kinds of values that are read in the same way. */
type Kind =
  | 'number'
  | 'float'
  | 'decfloat'
  | 'text'
  | 'binary'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'json'
  | 'vector'
  | 'geo'
  | 'other'

/**
 * The kinds of the types, by their names in results and in `INFORMATION_SCHEMA`, in lower case
 * (docs.snowflake.com/en/sql-reference/intro-summary-data-types).
 */
const kinds: Readonly<Record<string, Kind>> = {
  fixed: 'number',
  number: 'number',
  real: 'float',
  float: 'float',
  decfloat: 'decfloat',
  text: 'text',
  binary: 'binary',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  timestamp_ntz: 'timestamp',
  timestamp_ltz: 'timestamptz',
  timestamp_tz: 'timestamptz',
  variant: 'json',
  object: 'json',
  array: 'json',
  map: 'json',
  vector: 'vector',
  geography: 'geo',
  geometry: 'geo',
}

/** Returns the kind of a type. */
export const kindOf = (type: string): Kind => kinds[type.toLowerCase()] ?? 'other'

/** The names of types in PostgreSQL, whose notation values have. */
const names: Readonly<Record<Exclude<Kind, 'number' | 'other'>, string>> = {
  float: 'double precision',
  decfloat: 'numeric',
  text: 'text',
  binary: 'bytea',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamp with time zone',
  json: 'json',
  vector: 'json',
  geo: 'json',
}

/** The most digits of which every number fits in 64 bits. */
const bigintDigits = 18

/** Returns the name of a type for users, as PostgreSQL calls it. */
export const typeName = ({ type, precision, scale }: Omit<ResultColumn, 'name'>): string => {
  const kind = kindOf(type)
  if (kind === 'other') return type.toLowerCase()
  if (kind !== 'number') return names[kind]
  if (precision === null) return 'numeric'
  return (scale ?? 0) === 0 && precision <= bigintDigits ? 'bigint' : `numeric(${precision},${scale ?? 0})`
}

/** A column of a query, with the type that the service names. */
export type ReadColumn = DataColumn & { kind: Kind }

export const columnOf = (column: ResultColumn): ReadColumn => ({
  name: column.name,
  type: typeName(column),
  kind: kindOf(column.type),
})

/** The digits of a second, of which those at the end are removed if they are 0. */
const clock = 'HH24:MI:SS.FF9'

/**
 * Returns the expression that reads a column as a text. Without it, times would come as seconds since 1970
 * (docs.snowflake.com/en/developer-guide/sql-api/handling-responses).
 */
export const valueOf = ({ name, kind }: ReadColumn): string => {
  const column = quoted(name)
  switch (kind) {
    case 'date':
      return `TO_VARCHAR(${column}, 'YYYY-MM-DD')`
    case 'time':
      return `TO_VARCHAR(${column}, '${clock}')`
    case 'timestamp':
      return `TO_VARCHAR(${column}, 'YYYY-MM-DD ${clock}')`
    case 'timestamptz':
      return `TO_VARCHAR(CONVERT_TIMEZONE('UTC', ${column}), 'YYYY-MM-DD ${clock}')`
    case 'binary':
      return `TO_VARCHAR(${column}, 'HEX')`
    case 'json':
      return `TO_JSON(TO_VARIANT(${column}))`
    case 'vector':
      return `TO_JSON(TO_VARIANT(${column}::ARRAY))`
    case 'geo':
      return `TO_JSON(ST_ASGEOJSON(${column}))`
    case 'decfloat':
    case 'other':
      return `TO_VARCHAR(${column})`
    case 'number':
    case 'float':
    case 'text':
    case 'boolean':
      return column
  }
}

/** Removes zeros at the end of a fraction, and a fraction that is 0, as PostgreSQL writes times. */
const shortTime = (text: string): string => {
  let end = text.length
  if (!text.includes('.')) return text
  while (text[end - 1] === '0') end--
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end)
}

const flags: Readonly<Record<string, string>> = { true: 't', false: 'f' }

const decoders: Readonly<Partial<Record<Kind, (text: string) => string>>> = {
  boolean: (text) => flags[text.toLowerCase()] ?? text,
  binary: (text) => `\\x${text.toLowerCase()}`,
  time: shortTime,
  timestamp: shortTime,
  timestamptz: (text) => `${shortTime(text)}+00`,
}

const unchanged = (text: string): string => text

/** Creates the conversion of rows to the notation of PostgreSQL. */
export const createDecoder = (columns: readonly ReadColumn[]) => {
  const decode = columns.map(({ kind }) => decoders[kind] ?? unchanged)
  return (row: readonly (string | null)[]): (string | null)[] =>
    row.map((value, at) => (value === null ? null : (decode[at] ?? unchanged)(value)))
}
