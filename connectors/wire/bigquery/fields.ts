import { isJsonObject } from '@tributary/connector-kit'
import { notBigQuery } from './failures.ts'

/** A column of a result, or a member of a STRUCT, with the name of its type in GoogleSQL. */
export type Field = {
  name: string
  /** The type without its list: `INT64`, `STRUCT`. */
  type: string
  isList: boolean
  isRequired: boolean
  fields: readonly Field[]
  /** The text after the type: `(10, 2)`. */
  limits: string
}

/** Names of types in the API that have another name in GoogleSQL (TableFieldSchema.type). */
const names: Readonly<Record<string, string>> = {
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
  RECORD: 'STRUCT',
}

/** Maximum depth of a STRUCT (cloud.google.com/bigquery/quotas, "Maximum depth of nested records"), and some more. */
const maxDepth = 20

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '')

/** Returns precision and scale, or the length: `(10, 2)`; '' without them. */
const limitsOf = ({ precision, scale, maxLength, rangeElementType }: Readonly<Record<string, unknown>>): string => {
  if (isJsonObject(rangeElementType)) return `<${textOf(rangeElementType['type'])}>`
  const given = [precision, scale].map(textOf).filter((text) => text !== '')
  if (given.length > 0) return `(${given.join(', ')})`
  const length = textOf(maxLength)
  return length === '' ? '' : `(${length})`
}

const fieldOf = (given: unknown, depth: number): Field => {
  if (!isJsonObject(given) || depth > maxDepth) throw notBigQuery('a column is no column')
  const { name, type, mode, fields } = given
  if (typeof name !== 'string' || typeof type !== 'string') throw notBigQuery('a column has no name or type')
  const inner = Array.isArray(fields) ? fields.map((field: unknown) => fieldOf(field, depth + 1)) : []
  return {
    name,
    type: names[type] ?? type,
    isList: mode === 'REPEATED',
    isRequired: mode === 'REQUIRED',
    fields: inner,
    limits: limitsOf(given),
  }
}

/** Returns the fields of a TableSchema. Throws RetryableError if it is none. */
export const fieldsOf = (schema: unknown): Field[] => {
  const fields: unknown = isJsonObject(schema) ? (schema['fields'] ?? []) : undefined
  if (!Array.isArray(fields)) throw notBigQuery('it has no columns')
  return fields.map((field: unknown) => fieldOf(field, 0))
}

/** Maximum characters of the members of a STRUCT that are shown. */
const maxMembers = 200

/** Returns the type of a column as GoogleSQL writes it: `ARRAY<STRUCT<a INT64>>`. Long ones are cut. */
export const typeOf = ({ type, isList, fields, limits }: Field): string => {
  const members = fields.map((field) => `${field.name} ${typeOf(field)}`).join(', ')
  const shown = members.length > maxMembers ? `${members.slice(0, maxMembers).toWellFormed()}…` : members
  const whole = type === 'STRUCT' ? `STRUCT<${shown}>` : `${type}${limits}`
  return isList ? `ARRAY<${whole}>` : whole
}
