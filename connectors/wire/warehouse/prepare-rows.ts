import { extraColumn, ownTables, type Row } from './event-rows.ts'
import type { ColumnRules, Columns, ColumnType, Tables } from './tables.ts'

/** A row that can be written: every value fits its column. */
export type TableRow = {
  table: string
  mode: Row['mode']
  key: string
  values: Map<string, unknown>
}

/** Returns the columns that the rows need and the table lacks, up to the maximum number of columns. */
const missingColumns = (
  columns: Columns,
  rows: readonly Row[],
  { typeFor, extraType, maxColumns }: ColumnRules,
): Map<string, ColumnType> => {
  const missing = new Map<string, ColumnType>()
  if (!columns.has(extraColumn)) missing.set(extraColumn, extraType)
  for (const row of rows)
    for (const [column, { value }] of row.entries) {
      if (value === null || columns.has(column) || missing.has(column)) continue
      if (columns.size + missing.size < maxColumns) missing.set(column, typeFor(value))
    }
  return missing
}

/** Tables that the schema always has room for: without them, whole events would be lost. */
const isAlwaysThere: ReadonlySet<string> = new Set([...ownTables, 'accounts'])

/**
 * Creates or extends a table for its rows; undefined if the table is missing and the schema has no room for another
 * table.
 */
const ensureTable = async (
  tables: Tables,
  table: string,
  rows: readonly Row[],
  rules: ColumnRules,
): Promise<Columns | undefined> => {
  let columns = await tables.columns(table)
  const [first] = rows
  if (columns === undefined && first !== undefined) {
    if (!isAlwaysThere.has(table) && !(await tables.hasRoom())) return undefined
    const [key = 'id'] = first.first
    const begun = rules.firstColumns(first.first)
    columns = await tables.create(table, key, new Map([...begun, ...missingColumns(begun, rows, rules)]))
  }
  if (columns === undefined) return undefined
  const missing = missingColumns(columns, rows, rules)
  return missing.size === 0 ? columns : await tables.add(table, missing)
}

const fitted = (row: Row, columns: Columns, { fitTo }: ColumnRules): TableRow => {
  const values = new Map<string, unknown>()
  const extra = new Map(row.extra)
  for (const [column, { original, value }] of row.entries) {
    const type = columns.get(column)
    if (value === null) {
      // Null overwrites an existing value. A new row has no value there in any case.
      if (type !== undefined && row.mode === 'merge') values.set(column, null)
      continue
    }
    const fit = type === undefined ? undefined : fitTo(type, value)
    if (fit === undefined) extra.set(original, value)
    else values.set(column, fit.value)
  }
  if (extra.size > 0) values.set(extraColumn, Object.fromEntries(extra))
  return { table: row.table, mode: row.mode, key: row.first[0] ?? 'id', values }
}

/** Stores the values of a row whose table is missing with the event's first row. */
const keepBeside = (first: Row, row: Row): void => {
  for (const [column, { original, value }] of row.entries)
    if (!first.entries.has(column)) first.extra.set(original, value)
  for (const [name, value] of row.extra) first.extra.set(name, value)
}

/**
 * Creates tables and columns for the rows of several events, and converts each value for its column. No value is lost:
 * values without a suitable column are stored by name in `extra_properties`. These are values of another type, and
 * values whose column or table is missing because the table or schema is full.
 */
export const prepareRows = async (
  tables: Tables,
  events: readonly (readonly Row[])[],
  rules: ColumnRules,
): Promise<TableRow[][]> => {
  const byTable = Map.groupBy(events.flat(), (row) => row.table)
  const columnsOf = new Map<string, Columns>()
  // The tables of single events come first: properties that find no column there are stored in the first row of the
  // event.
  const own = new Set(events.map(([first]) => first?.table))
  const order = [...byTable].toSorted(([a], [b]) => Number(own.has(a)) - Number(own.has(b)))
  for (const [table, rows] of order) {
    const columns = await ensureTable(tables, table, rows, rules)
    if (columns !== undefined) columnsOf.set(table, columns)
  }
  return events.map((rows) => {
    const [first] = rows
    const written: TableRow[] = []
    for (const row of rows.toReversed()) {
      const columns = columnsOf.get(row.table)
      if (columns !== undefined) written.unshift(fitted(row, columns, rules))
      else if (first !== undefined && first !== row) keepBeside(first, row)
    }
    return written
  })
}
