import { type DataRow, isJsonObject } from '@tributary/connector-kit'
import { notBigQuery } from './failures.ts'
import type { Field } from './fields.ts'

/**
 * Rows arrive as `{ f: [{ v }] }` (QueryResponse.rows). Every scalar is a text, a list is `[{ v }]`, and a STRUCT is
 * another `{ f }`. The function `convertSchemaFieldValue` of @google-cloud/bigquery 9.3.0 reads the same form.
 */

const perSecond = 1_000_000n
const isMicroseconds = /^-?\d{1,18}$/
const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?Z$/

/** Returns a fraction of a second as `.678`, `.678901`, or ''. */
const fractionOf = (microseconds: bigint): string => {
  if (microseconds === 0n) return ''
  const digits = String(microseconds).padStart(6, '0')
  return `.${digits.endsWith('000') ? digits.slice(0, 3) : digits}`
}

/** Returns a TIMESTAMP, which arrives as microseconds from 1970 (`useInt64Timestamp`), in RFC 3339 and UTC. */
const momentOf = (text: string): string => {
  if (isMoment.test(text)) return text
  if (!isMicroseconds.test(text)) throw notBigQuery('a time is not in the form that was asked for')
  const all = BigInt(text)
  const rest = ((all % perSecond) + perSecond) % perSecond
  const seconds = Number((all - rest) / perSecond)
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) throw notBigQuery('a time is out of range')
  return `${date.toISOString().slice(0, -5)}${fractionOf(rest)}Z`
}

const scalarOf = (type: string, value: unknown): string => {
  if (typeof value !== 'string') throw notBigQuery(`a value of ${type} is no text`)
  return type === 'TIMESTAMP' ? momentOf(value) : value
}

const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/
const numeric = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'])

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns a value inside a list or a STRUCT as JSON, in the form of `TO_JSON_STRING`, with every digit. */
const jsonOf = (field: Field, value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (field.isList) {
    if (!Array.isArray(value)) throw notBigQuery('a list is no list')
    const one = { ...field, isList: false }
    return `[${value.map((item: unknown) => jsonOf(one, isJsonObject(item) ? item['v'] : undefined)).join(',')}]`
  }
  const { type, fields } = field
  if (type === 'STRUCT') {
    const values = valuesIn(value, fields.length)
    return `{${fields.map((inner, at) => `${JSON.stringify(inner.name)}:${jsonOf(inner, values[at])}`).join(',')}}`
  }
  const text = scalarOf(type, value)
  if (numeric.has(type)) return isNumber.test(text) ? text : JSON.stringify(text)
  if (type === 'BOOL') return text === 'true' || text === 'false' ? text : JSON.stringify(text)
  if (type === 'JSON') return isJson(text) ? text : JSON.stringify(text)
  return JSON.stringify(text)
}

/** Returns the values of a row, or of a STRUCT. Throws RetryableError if it has another number of them. */
const valuesIn = (row: unknown, width: number): unknown[] => {
  const cells = isJsonObject(row) ? row['f'] : undefined
  if (!Array.isArray(cells) || cells.length !== width) throw notBigQuery('a row has other columns')
  return cells.map((cell: unknown) => (isJsonObject(cell) ? cell['v'] : undefined))
}

/**
 * Returns a value as a text. A TIMESTAMP is in RFC 3339 and UTC, and a DATETIME has no zone. BYTES are hexadecimal
 * digits after `\x`, and lists and STRUCTs are JSON. Everything else is as BigQuery writes it, with every digit.
 */
const textOf = (field: Field, value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (field.isList || field.type === 'STRUCT') return jsonOf(field, value)
  const text = scalarOf(field.type, value)
  if (field.type === 'BYTES') return `\\x${Buffer.from(text, 'base64').toString('hex')}`
  return field.type === 'DATETIME' ? text.replace('T', ' ') : text
}

/** Returns the values of a row in the order of its columns. Throws RetryableError for a row of another form. */
export const rowOf = (fields: readonly Field[], row: unknown): DataRow =>
  valuesIn(row, fields.length).map((value, at) => {
    const field = fields[at]
    return field === undefined ? null : textOf(field, value)
  })
