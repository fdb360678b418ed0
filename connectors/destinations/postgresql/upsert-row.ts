import type { OutgoingEvent } from '@tributary/connector-kit'
import { fitted } from './names.ts'
import type { TableRow } from './prepare-rows.ts'
import { type Columns, maxColumns, type Tables } from './tables.ts'
import { type ColumnType, fitTo, safeText, typeFor } from './values.ts'

/** A row for the table of the user's choice, or why there can be none. */
export type UpsertRow = { row: TableRow } | { problem: string }

/** The name of the column of a field: a name that PostgreSQL would cut is cut here. */
export const columnName = (name: string): string => fitted(safeText(name), name)

/** The payload of the mapping, by column. */
const valuesOf = (event: Pick<OutgoingEvent, 'payload'>): Map<string, unknown> =>
  new Map(Object.entries(event.payload ?? {}).map(([name, value]) => [columnName(name), value]))

/** Makes the table and the columns that the rows want. The key's column is the primary key of a table made here. */
const ensure = async (
  tables: Tables,
  table: string,
  key: string,
  rows: readonly ReadonlyMap<string, unknown>[],
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
 * Rows for a table of the user's choice: each target of the mapping is a column, and a row with the same key is
 * overwritten. A value that does not fit its column makes the event fail, since no other column can store it.
 */
export const upsertRows = async (
  tables: Tables,
  { table, key }: { table: string; key: string },
  events: readonly Pick<OutgoingEvent, 'payload'>[],
): Promise<UpsertRow[]> => {
  const rows = events.map(valuesOf)
  const keyed = rows.filter((row) => row.get(key) !== undefined && row.get(key) !== null)
  if (keyed.length === 0) return rows.map(() => ({ problem: `The mapping has no value for the key column ${key}` }))
  const columns = await ensure(tables, table, key, keyed)
  return rows.map((row): UpsertRow => {
    if (!keyed.includes(row)) return { problem: `The mapping has no value for the key column ${key}` }
    const values = new Map<string, unknown>()
    for (const [column, value] of row) {
      const type = columns.get(column)
      if (value === undefined || (value === null && type === undefined)) continue
      if (type === undefined)
        return { problem: `The table ${table} has no column ${column} and can't take another one` }
      const fit = value === null ? { value } : fitTo(type, value)
      if (fit === undefined) return { problem: `The value of ${column} does not match its type, ${type}` }
      values.set(column, fit.value)
    }
    return { row: { table, mode: 'merge', key, values } }
  })
}
