import type { Fit } from '../../wire/warehouse/fit.ts'

/** Most bytes of a text, and of a value of JSON (docs.snowflake.com/en/sql-reference/data-types-text). */
const maxBytes = 16_777_216

/** Returns a literal of a text. Backslashes escape in Snowflake. */
export const literal = (text: string): string =>
  `'${text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** Returns the expression of a member of the staged values as text; null if it is absent. */
export const member = (name: string): string => `GET(row_values, ${literal(name)})::VARCHAR`

/** Returns the expression of a member of a column of JSON: a text as itself, any other value as JSON. */
export const extraMember = (column: string, name: string): string => `GET(${column}, ${literal(name)})::VARCHAR`

/** Returns the name of a type as statements write it. `INFORMATION_SCHEMA` lists its parts. */
export const typeOf = (type: string, [precision, scale, length]: readonly (string | null | undefined)[]): string => {
  const name = type.toUpperCase()
  if (name === 'NUMBER') return `NUMBER(${precision ?? 38},${scale ?? 0})`
  if (name === 'TEXT') return Number(length ?? maxBytes) >= maxBytes ? 'VARCHAR' : `VARCHAR(${length})`
  return name
}

const numberParts = (type: string): [precision: number, scale: number] | undefined => {
  const [, precision, scale] = /^NUMBER\((\d+),(\d+)\)$/.exec(type) ?? []
  return precision === undefined ? undefined : [Number(precision), Number(scale)]
}

const lengthOf = (type: string): number | undefined => {
  const [, length] = /^VARCHAR\((\d+)\)$/.exec(type) ?? []
  return length === undefined ? undefined : Number(length)
}

/** Returns what fits a type; undefined for a type to which nothing is written. */
export const fitOf = (type: string): Fit | undefined => {
  const parts = numberParts(type)
  if (parts !== undefined) return { kind: 'number', before: parts[0] - parts[1], after: parts[1] }
  if (type === 'VARCHAR' || lengthOf(type) !== undefined)
    return { kind: 'text', maxBytes: Math.min(lengthOf(type) ?? maxBytes, maxBytes) }
  if (type === 'VARIANT') return { kind: 'json', maxBytes }
  if (type === 'FLOAT') return { kind: 'double' }
  if (type === 'BOOLEAN') return { kind: 'boolean' }
  if (/^TIMESTAMP_(?:TZ|LTZ|NTZ)$/.test(type)) return { kind: 'time' }
  return type === 'DATE' ? { kind: 'date' } : undefined
}

/** A text that is a date or begins with one. A text of digits would count as seconds. */
const dated = (text: string): string => `CASE WHEN ${text} LIKE '____-__-__%' THEN ${text} END`

/** Returns the expression that casts a text to a type; null if it does not fit. Times without a zone are in UTC. */
export const cast = (text: string, type: string): string => {
  const parts = numberParts(type)
  if (parts !== undefined) return `TRY_TO_DECIMAL(${text}, ${parts[0]}, ${parts[1]})`
  const length = lengthOf(type)
  if (length !== undefined) return `CASE WHEN LENGTH(${text}) <= ${length} THEN ${text} END`
  switch (type) {
    case 'VARIANT':
      return `TRY_PARSE_JSON(${text})`
    case 'FLOAT':
      return `TRY_TO_DOUBLE(${text})`
    case 'BOOLEAN':
      return `CASE ${text} WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END`
    case 'DATE':
      return `TRY_TO_DATE(${dated(text)}, 'AUTO')`
    case 'TIMESTAMP_TZ':
    case 'TIMESTAMP_LTZ':
    case 'TIMESTAMP_NTZ':
      return `TRY_TO_${type}(${dated(text)}, 'AUTO')`
    default:
      return text
  }
}

const timeFormat = "'YYYY-MM-DD HH24:MI:SS.FF6'"

/** Returns the expression of a value as the text of which `cast` makes the same value. */
export const textOf = (expression: string, type: string): string => {
  const parts = numberParts(type)
  if (parts !== undefined && parts[1] > 0) return `RTRIM(RTRIM(TO_VARCHAR(${expression}), '0'), '.')`
  switch (type) {
    case 'VARCHAR':
      return expression
    case 'VARIANT':
      return `TO_JSON(${expression})`
    case 'DATE':
      return `TO_VARCHAR(${expression}, 'YYYY-MM-DD')`
    case 'TIMESTAMP_TZ':
    case 'TIMESTAMP_LTZ':
      return `TO_VARCHAR(CONVERT_TIMEZONE('UTC', ${expression}), ${timeFormat})`
    case 'TIMESTAMP_NTZ':
      return `TO_VARCHAR(${expression}, ${timeFormat})`
    default:
      return `TO_VARCHAR(${expression})`
  }
}
