import type { OutgoingEvent } from '@tributary/connector-kit'
import { fitted } from './names.ts'
import type { TableRow } from './prepare-rows.ts'
import type { ColumnRules, Columns, ColumnType, Tables } from './tables.ts'

/** A row for the table that the user chose, or why the event gives none. */
export type UpsertRow = { row: TableRow } | { problem: string }

/** Returns the column name for a field: at most 63 bytes, without characters that no database takes. */
export const columnName = (name: string): string => fitted(name.toWellFormed().replaceAll('\0', '\ufffd'), name)

/** Returns the payload of the mapping, by column. */
const valuesOf = (event: Pick<OutgoingEvent, 'payload'>): Map<string, unknown> =>
  new Map(Object.entries(event.payload ?? {}).map(([name, value]) => [columnName(name), value]))

/** Creates the table and the columns that the rows need. In a new table, the key's column is the primary key. */
const ensure = async (
  tables: Tables,
  table: string,
  key: string,
  rows: readonly ReadonlyMap<string, unknown>[],
  { typeFor, maxColumns }: ColumnRules,
): Promise<Columns> => {
  const columns = (await tables.columns(table)) ?? new Map<string, ColumnType>()
  const missing = new Map<string, ColumnType>()
  for (const row of rows)
    for (const [column, value] of row) {
      if (value === null || value === undefined || columns.has(column) || missing.has(column)) continue
      if (columns.size + missing.size < maxColumns) missing.set(column, typeFor(value))
    }
  if (missing.size === 0) return columns
  return columns.size === 0 ? await tables.create(table, key, missing) : await tables.add(table, missing)
}

/**
 * Returns rows for the table that the user chose. Each target of the mapping is a column, and a row with the same key
 * is overwritten. An event with a value that does not fit its column fails, because no other column can store the
 * value.
 */
export const upsertRows = async (
  tables: Tables,
  { table, key }: { table: string; key: string },
  events: readonly Pick<OutgoingEvent, 'payload'>[],
  rules: ColumnRules,
): Promise<UpsertRow[]> => {
  const rows = events.map(valuesOf)
  const keyed = rows.filter((row) => row.get(key) !== undefined && row.get(key) !== null)
  if (keyed.length === 0) return rows.map(() => ({ problem: `The mapping has no value for the key column ${key}` }))
  const columns = await ensure(tables, table, key, keyed, rules)
  return rows.map((row): UpsertRow => {
    if (!keyed.includes(row)) return { problem: `The mapping has no value for the key column ${key}` }
    const values = new Map<string, unknown>()
    for (const [column, value] of row) {
      const type = columns.get(column)
      if (value === undefined || (value === null && type === undefined)) continue
      if (type === undefined)
        return { problem: `The table ${table} has no column ${column} and can't take another one` }
      const fit = value === null ? { value } : rules.fitTo(type, value)
      if (fit === undefined) return { problem: `The value of ${column} does not match its type, ${type}` }
      values.set(column, fit.value)
    }
    return { row: { table, mode: 'merge', key, values } }
  })
}
