import { ConfigurationError, type Conversion, fixedColumns, type WarehouseTable } from '@tributary/connector-kit'
import type { WarehouseSession } from './dialect.ts'
import type { Columns, ColumnType } from './tables.ts'
import { isForEvents } from './warehouse-rows.ts'
import type { WarehouseTables } from './warehouse-tables.ts'

/** Lists the tables for events, with their columns. */
export const listTables = async (tables: WarehouseTables): Promise<WarehouseTable[]> => {
  tables.forget()
  return [...(await tables.list())]
    .filter(([table, columns]) => isForEvents(table, columns))
    .map(([name, columns]) => ({
      name,
      columns: [...columns].map(([column, type]) => ({ name: column, type })),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Counts the rows of each table for events that were received in a span of epoch ms, with one statement. */
export const countRows = async (
  { dialect, run }: WarehouseSession,
  tables: WarehouseTables,
  { from, to }: { from: number; to: number },
): Promise<Record<string, number>> => {
  const found = await listTables(tables)
  if (found.length === 0) return {}
  const time = (ms: number): string =>
    dialect.cast(dialect.literal(new Date(ms).toISOString().replace('T', ' ').replace('Z', '')), dialect.types.time)
  const received = dialect.column('received_at')
  const counts = await run(
    found
      .map(
        ({ name }) =>
          `SELECT ${dialect.literal(name)} AS name, count(*) AS found FROM ${dialect.table(name)} WHERE ${received} >= ${time(from)} AND ${received} < ${time(to)}`,
      )
      .join('\nUNION ALL '),
  )
  return Object.fromEntries(counts.map(([name, count]) => [name ?? '', Number(count)]))
}

const requireColumn = async (
  tables: WarehouseTables,
  table: string,
  column: string,
): Promise<{ type: ColumnType; columns: Columns }> => {
  tables.forget()
  const columns = await tables.columns(table)
  const type = columns?.get(column)
  // Other tables of the schema are the company's own, or those of syncs.
  if (columns === undefined || type === undefined || !isForEvents(table, columns))
    throw new ConfigurationError(`The table ${table} has no column ${column}`)
  if (fixedColumns.has(column))
    throw new ConfigurationError(
      `The column ${column} is needed to load events or to delete users, so it can't be changed`,
    )
  return { type, columns }
}

/** Examples of values that do not convert. */
const maxExamples = 5

/** Counts what a change of a column's type would convert. Changes nothing. */
export const conversionOf = async (
  { dialect, run }: WarehouseSession,
  tables: WarehouseTables,
  { table, column, type }: { table: string; column: string; type: string },
): Promise<Conversion> => {
  const { type: before } = await requireColumn(tables, table, column)
  const name = dialect.column(column)
  const text = dialect.text(name, before)
  const extra = dialect.extraMember(column)
  const [counts = []] = await run(
    `SELECT count(${name}), count(${dialect.cast(text, type)}), count(${dialect.cast(extra, type)}) FROM ${dialect.table(table)}`,
  )
  const examples = await run(
    `SELECT DISTINCT ${text} FROM ${dialect.table(table)} WHERE ${name} IS NOT NULL AND ${dialect.cast(text, type)} IS NULL LIMIT ${maxExamples}`,
  )
  const [values, convert, fromExtra] = counts.map(Number)
  return {
    values: values ?? 0,
    convert: convert ?? 0,
    fromExtra: fromExtra ?? 0,
    examples: examples.map(([example]) => (example ?? '').slice(0, 200)),
  }
}

/**
 * Changes the type of a column. Values that do not convert stay as texts in `extra_properties`, and values of there that
 * convert move to the column. Can be repeated after any statement.
 */
export const changeType = async (
  { dialect, run }: WarehouseSession,
  tables: WarehouseTables,
  change: { table: string; column: string; type: string },
): Promise<void> => {
  const { columns } = await requireColumn(tables, change.table, change.column)
  for (const statement of dialect.changeType({ ...change, columns })) await run(statement)
  tables.forget()
}

/** Renames a column. Can be repeated after any statement. */
export const renameColumn = async (
  { dialect, run }: WarehouseSession,
  tables: WarehouseTables,
  { table, column, name }: { table: string; column: string; name: string },
): Promise<void> => {
  tables.forget()
  const found = await tables.columns(table)
  // The answer to an earlier attempt was lost.
  if (found !== undefined && isForEvents(table, found) && !found.has(column) && found.has(name)) return
  const { columns } = await requireColumn(tables, table, column)
  if (columns.has(name)) throw new ConfigurationError(`The table ${table} already has a column ${name}`)
  for (const statement of dialect.renameColumn({ table, column, columns, name })) await run(statement)
  tables.forget()
}

/** Removes a column, if the table has it. Can be repeated after any statement. */
export const dropColumn = async (
  { dialect, run }: WarehouseSession,
  tables: WarehouseTables,
  { table, column }: { table: string; column: string },
): Promise<void> => {
  tables.forget()
  const found = await tables.columns(table)
  if (found !== undefined && isForEvents(table, found) && !found.has(column)) return
  const { columns } = await requireColumn(tables, table, column)
  for (const statement of dialect.dropColumn({ table, column, columns })) await run(statement)
  tables.forget()
}
