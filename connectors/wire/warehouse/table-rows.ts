import { type EventOutcome, type OutgoingRow, parseExactJson } from '@tributary/connector-kit'
import { keyCharacters, keysOfPage, listPages } from '../access/list-keys.ts'
import type { KeyedTable } from '../access/table-object.ts'
import { rulesOf } from './column-rules.ts'
import type { TypedColumn, WarehouseSession } from './dialect.ts'
import { upsertRows } from './keyed-rows.ts'
import type { TableRow } from './prepare-rows.ts'
import { batchName, stageRow } from './stage.ts'
import { rowsPrefix } from './statements.ts'
import type { ColumnRules, Columns } from './tables.ts'
import type { WarehouseTables } from './warehouse-tables.ts'

/** Keys of one statement. */
const keysAtOnce = 500

type Prepared = { row: OutgoingRow; values: TableRow; key: string }

const partsOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / keysAtOnce) }, (_, at) =>
    items.slice(at * keysAtOnce, (at + 1) * keysAtOnce),
  )

/** Returns the expression of a key as text. */
const keyText = ({ dialect }: WarehouseSession, key: string, columns: Columns): string =>
  dialect.text(dialect.column(key), columns.get(key) ?? dialect.types.text)

/** Finds which of the keys a table has. */
const knownKeys = async (
  session: WarehouseSession,
  { table, key }: KeyedTable,
  columns: Columns,
  keys: readonly string[],
): Promise<Set<string>> => {
  const { dialect, run } = session
  const found = new Set<string>()
  const text = keyText(session, key, columns)
  for (const part of partsOf(keys))
    for (const [known] of await run(
      `SELECT DISTINCT ${text} FROM ${dialect.table(table)} WHERE ${text} IN (${part.map(dialect.literal).join(', ')})`,
    ))
      found.add(known ?? '')
  return found
}

/** Overwrites or adds rows, and leaves columns as they are for which a row has no value. */
const mergeRows = async (
  session: WarehouseSession,
  { table, key }: KeyedTable,
  columns: Columns,
  rows: readonly Prepared[],
): Promise<void> => {
  if (rows.length === 0) return
  const { dialect, run } = session
  const batch = `${rowsPrefix}${batchName(
    rows.map(({ row }) => ({ eventId: row.recordId })),
    Date.now(),
  )}`
  const used = new Set(rows.flatMap(({ values }) => [...values.values.keys()]))
  const names = dialect.wholeRows === true ? columns.keys() : used
  const typed = [...new Set([key, ...names])].flatMap((name): TypedColumn[] => {
    const type = columns.get(name)
    return type === undefined ? [] : [{ name, type }]
  })
  const since = new Date(0).toISOString()
  const drop = async (): Promise<void> => {
    for (const statement of dialect.dropBatches([batch])) await run(statement)
  }
  try {
    await session.stage(rows.map(({ values }, at) => stageRow(batch, at, { ...values, mode: 'merge' })))
    for (const statement of dialect.merge({ table, key, since, batches: [batch], columns: typed })) await run(statement)
  } catch (error) {
    // Otherwise a load removes the rows a day later.
    await drop().catch(() => {})
    throw error
  }
  await drop()
}

const deleteRows = async (
  session: WarehouseSession,
  { table, key }: KeyedTable,
  columns: Columns,
  keys: readonly string[],
): Promise<void> => {
  const { dialect, run } = session
  for (const part of partsOf(keys))
    for (const statement of dialect.deleteRows(
      table,
      `${keyText(session, key, columns)} IN (${part.map(dialect.literal).join(', ')})`,
    ))
      await run(statement)
}

/** Keys of new tables are texts, so that all keys of a model fit. */
const rulesFor = (session: WarehouseSession, key: string, rows: readonly OutgoingRow[]): ColumnRules => {
  const rules = rulesOf(session.dialect)
  const keys = new Set(rows.map(({ json }) => (parseExactJson(json) as Record<string, unknown>)[key]))
  return { ...rules, typeFor: (value) => (keys.has(value) ? session.dialect.types.text : rules.typeFor(value)) }
}

/**
 * Writes rows of a table, each key at most once in a call. An upsert creates or overwrites the row. An insert skips an
 * existing row, and an update skips a missing one. A delete of a missing row succeeds. Upserts and inserts create the
 * table and its columns. A row whose value does not fit its column is rejected. Can be repeated.
 */
export const writeTableRows = async (
  session: WarehouseSession,
  tables: WarehouseTables,
  keyed: KeyedTable,
  rows: readonly OutgoingRow[],
): Promise<EventOutcome[]> => {
  const makes = rows.some(({ operation }) => operation === 'upsert' || operation === 'insert')
  if (!makes && (await tables.columns(keyed.table)) === undefined)
    return rows.map(({ operation }) =>
      operation === 'delete' ? { kind: 'delivered' } : { kind: 'skipped', reason: `There is no table ${keyed.table}` },
    )
  const payloads = rows.map(({ json }) => ({ payload: parseExactJson(json) as Record<string, unknown> }))
  const read = await upsertRows(tables, keyed, payloads, rulesFor(session, keyed.key, rows))
  const columns = (await tables.columns(keyed.table)) ?? new Map<string, string>()
  const prepared = read.flatMap((item, at): Prepared[] => {
    const row = rows[at]
    if (row === undefined || 'problem' in item) return []
    return [{ row, values: item.row, key: String(item.row.values.get(keyed.key)) }]
  })
  const of = (operation: OutgoingRow['operation']): Prepared[] =>
    prepared.filter(({ row }) => row.operation === operation)
  const asked = [...of('insert'), ...of('update')].map(({ key }) => key)
  const known = await knownKeys(session, keyed, columns, asked)
  const skipped = new Map<OutgoingRow, string>([
    ...of('insert')
      .filter(({ key }) => known.has(key))
      .map(({ row }): [OutgoingRow, string] => [row, 'A row with this key is already there']),
    ...of('update')
      .filter(({ key }) => !known.has(key))
      .map(({ row }): [OutgoingRow, string] => [row, 'There is no row with this key']),
  ])
  const merged = prepared.filter(({ row }) => row.operation !== 'delete' && !skipped.has(row))
  await mergeRows(session, keyed, columns, merged)
  await deleteRows(
    session,
    keyed,
    columns,
    of('delete').map(({ key }) => key),
  )
  return read.map((item, at): EventOutcome => {
    const row = rows[at]
    if ('problem' in item || row === undefined)
      return { kind: 'rejected', reason: 'problem' in item ? item.problem : 'No row' }
    const reason = skipped.get(row)
    return reason === undefined ? { kind: 'delivered' } : { kind: 'skipped', reason }
  })
}

/** Lists the keys of a table in order, page by page. There are none if the table does not exist. */
export const listTableKeys = async (
  session: WarehouseSession,
  tables: WarehouseTables,
  { table, key }: KeyedTable,
  onKeys: (keys: readonly string[]) => Promise<void>,
): Promise<void> => {
  const { dialect, run } = session
  tables.forget()
  const columns = await tables.columns(table)
  if (columns === undefined) return
  const text = keyText(session, key, columns)
  await listPages(async (last) => {
    const isNext = last === undefined ? '' : ` AND ${text} > ${dialect.literal(last)}`
    const rows = await run(
      `SELECT DISTINCT ${text} FROM ${dialect.table(table)} WHERE ${dialect.column(key)} IS NOT NULL AND length(${text}) <= ${keyCharacters}${isNext} ORDER BY 1 LIMIT ${keysOfPage}`,
    )
    return rows.map(([found]) => found ?? '')
  }, onKeys)
}
