import {
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  type Json,
} from '@duckdb/node-api'
import { isJsonObject } from '@tributary/connector-kit'

/** A column as BigQuery's API writes it (TableFieldSchema). */
export type FieldSchema = {
  name: string
  type: string
  mode: 'NULLABLE' | 'REQUIRED' | 'REPEATED'
  precision?: string
  scale?: string
  fields?: FieldSchema[]
}

const names: Readonly<Partial<Record<DuckDBTypeId, string>>> = {
  [DuckDBTypeId.BOOLEAN]: 'BOOLEAN',
  [DuckDBTypeId.INTEGER]: 'INTEGER',
  [DuckDBTypeId.BIGINT]: 'INTEGER',
  [DuckDBTypeId.HUGEINT]: 'INTEGER',
  [DuckDBTypeId.DOUBLE]: 'FLOAT',
  [DuckDBTypeId.DECIMAL]: 'NUMERIC',
  [DuckDBTypeId.DATE]: 'DATE',
  [DuckDBTypeId.TIME]: 'TIME',
  [DuckDBTypeId.TIMESTAMP]: 'DATETIME',
  [DuckDBTypeId.TIMESTAMP_TZ]: 'TIMESTAMP',
  [DuckDBTypeId.BLOB]: 'BYTES',
}

/** Returns the column of BigQuery for a column of DuckDB. */
export const schemaOf = (name: string, type: DuckDBType): FieldSchema => {
  if (type instanceof DuckDBListType) return { ...schemaOf(name, type.valueType), mode: 'REPEATED' }
  if (type instanceof DuckDBStructType) {
    const fields = type.entryNames.flatMap((inner, at) => {
      const entry = type.entryTypes[at]
      return entry === undefined ? [] : [schemaOf(inner, entry)]
    })
    return { name, type: 'RECORD', mode: 'NULLABLE', fields }
  }
  if (type.alias === 'JSON') return { name, type: 'JSON', mode: 'NULLABLE' }
  const field: FieldSchema = { name, type: names[type.typeId] ?? 'STRING', mode: 'NULLABLE' }
  if (!(type instanceof DuckDBDecimalType)) return field
  // NUMERIC has 9 digits behind the point; more of them need BIGNUMERIC.
  return type.scale > 9 ? { ...field, type: 'BIGNUMERIC' } : field
}

/** Returns microseconds from 1970 of `2026-01-02 03:04:05.678901+00`. */
const microsecondsOf = (text: string): string => {
  const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d+))?\+00$/.exec(text) ?? []
  return String(BigInt(Date.parse(`${seconds.replace(' ', 'T')}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0')))
}

/** Returns the bytes of `ab\xFF` as base64. */
const base64Of = (text: string): string =>
  Buffer.from(
    text.replace(/\\x([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('base64')

/** Returns a value of DuckDB in the form of BigQuery's rows: `{ f: [{ v }] }`, with scalars as texts. */
export const valueOf = (field: FieldSchema, value: Json | undefined): unknown => {
  if (value === null || value === undefined) return field.mode === 'REPEATED' ? [] : null
  if (field.mode === 'REPEATED') {
    const one: FieldSchema = { ...field, mode: 'NULLABLE' }
    return (Array.isArray(value) ? value : []).map((item) => ({ v: valueOf(one, item) }))
  }
  if (field.type === 'RECORD' && isJsonObject(value))
    return { f: (field.fields ?? []).map((inner) => ({ v: valueOf(inner, value[inner.name] as Json) })) }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (field.type === 'TIMESTAMP') return microsecondsOf(text)
  if (field.type === 'DATETIME') return text.replace(' ', 'T')
  return field.type === 'BYTES' ? base64Of(text) : text
}
