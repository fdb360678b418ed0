import { type LoadReport, RetryableError } from '@tributary/connector-kit'
import type { Dialect, StagedRows, WarehouseSession } from './dialect.ts'
import { extraColumn } from './event-rows.ts'
import { isNeeded, requireNeeded } from './needed-columns.ts'
import { restageUnfit } from './restage.ts'
import { batchName } from './stage.ts'
import {
  countMissing,
  listBatches,
  listLeftOver,
  listStagedColumns,
  listStagedTables,
  rowsPrefix,
} from './statements.ts'
import type { Columns, Tables } from './tables.ts'

/** Batches of one load. A load of more would make statements too long. */
const maxBatches = 200

/** Batches whose columns are read at once. A batch of 200 events with 60 columns each has 0.4 MB of them. */
const batchesAtOnce = 10

/** Time in which a key is stored once, in ms. */
const comparedMs = 14 * 24 * 60 * 60 * 1000

type Staged = { table: string; mode: string; rows: number }

/** The columns for which rows of a table were staged, and those that had different types meanwhile. */
type StagedColumns = { types: Map<string, string>; mixed: Set<string> }

const stagedColumns = (rows: readonly (string | null)[][]): Map<string, StagedColumns> => {
  const tables = new Map<string, StagedColumns>()
  for (const [text] of rows)
    for (const [table, columns] of Object.entries(JSON.parse(text ?? '{}') as Record<string, Record<string, string>>)) {
      const found = tables.get(table) ?? { types: new Map<string, string>(), mixed: new Set<string>() }
      for (const [name, type] of Object.entries(columns)) {
        if ((found.types.get(name) ?? type) !== type) found.mixed.add(name)
        found.types.set(name, type)
      }
      tables.set(table, found)
    }
  return tables
}

/**
 * Creates what was dropped since the rows were staged, and returns the columns of the table as they are now. There is
 * always a place for values that do not fit.
 */
const ensure = async (dialect: Dialect, tables: Tables, table: string, staged: Columns): Promise<Columns> => {
  const all = new Map([...staged, [extraColumn, staged.get(extraColumn) ?? dialect.types.json]])
  const columns = await tables.columns(table)
  if (columns === undefined) return await tables.create(table, 'id', all)
  const missing = new Map([...all].filter(([name]) => !columns.has(name)))
  const found = missing.size === 0 ? columns : await tables.add(table, missing)
  requireNeeded(dialect, table, found)
  return found
}

const loadTable = async (session: WarehouseSession, rows: StagedRows, mode: string): Promise<void> => {
  const { dialect, run } = session
  const count = async (): Promise<number> =>
    Number((await run(countMissing(dialect, rows, mode === 'merge')))[0]?.[0] ?? 0)
  if (mode === 'insert') {
    const missing = dialect.countsFirst === true ? await count() : undefined
    if (missing === 0) return
    for (const statement of dialect.insertNew({ ...rows, ...(missing === undefined ? {} : { missing }) }))
      await run(statement)
  } else {
    for (const batch of rows.batches)
      for (const statement of dialect.merge({ ...rows, batches: [batch] })) await run(statement)
  }
  const missing = await count()
  if (missing > 0)
    throw new RetryableError(`The warehouse accepted rows of ${rows.table}, but ${missing} are missing there`)
}

/** Time in ms after which rows of a sync in the stage are left over from a process that was killed. */
const leftOverMs = 24 * 60 * 60 * 1000

const dropLeftOver = async ({ dialect, run }: WarehouseSession): Promise<void> => {
  const before = `${rowsPrefix}${batchName([], Date.now() - leftOverMs)}`
  const found = await run(listLeftOver(dialect, before, maxBatches))
  if (found.length === 0) return
  for (const statement of dialect.dropBatches(found.map(([batch]) => batch ?? ''))) await run(statement)
}

/**
 * Moves the staged batches into their tables. Each key of an event is stored once, and users and accounts have the
 * newest values. Can be repeated after any statement, and while another load runs. Rejects with a DeliveryError.
 */
export const loadStaged = async (session: WarehouseSession, tables: Tables): Promise<LoadReport> => {
  const { dialect, run } = session
  // Creates a stage that is missing.
  await tables.columns('tracks')
  const found = await run(listBatches(dialect, maxBatches + 1))
  const taken = found.slice(0, maxBatches)
  const report: LoadReport = { batches: taken.length, rows: {}, bytes: 0, unfit: 0, more: found.length > maxBatches }
  if (taken.length === 0) return report
  const batches = taken.map(([batch]) => batch ?? '')
  report.bytes = taken.reduce((sum, [, , bytes]) => sum + Number(bytes ?? 0), 0)
  const types: (string | null)[][] = []
  for (let at = 0; at < batches.length; at += batchesAtOnce)
    types.push(...(await run(listStagedColumns(dialect, batches.slice(at, at + batchesAtOnce)))))
  const manifest = stagedColumns(types)
  const staged = (await run(listStagedTables(dialect, batches))).map(
    ([table, mode, rows]): Staged => ({ table: table ?? '', mode: mode ?? '', rows: Number(rows) }),
  )
  const first = Math.min(...taken.map(([, , , from]) => Date.parse(`${(from ?? '').replace(' ', 'T')}Z`) || Date.now()))
  const since = new Date(first - comparedMs).toISOString()
  for (const { table, mode, rows } of staged) {
    const { types: used, mixed } = manifest.get(table) ?? { types: new Map<string, string>(), mixed: new Set() }
    const columns = await ensure(dialect, tables, table, used)
    const isWhole = mode === 'merge' && dialect.wholeRows === true
    const typed = [...new Set(isWhole ? columns.keys() : [...used.keys(), extraColumn])].flatMap((name) => {
      const type = columns.get(name)
      return type === undefined ? [] : [{ name, type }]
    })
    // Only types that this product gives are known to fit.
    const given = new Set(Object.values(dialect.types))
    const changed = typed.filter(
      ({ name, type }) =>
        used.has(name) && !isNeeded(name) && (used.get(name) !== type || mixed.has(name) || !given.has(type)),
    )
    report.unfit += await restageUnfit(session, { table, batches }, changed)
    // Nothing is left for a column to which nothing is written. Whole rows keep its value.
    const written = isWhole ? typed : typed.filter(({ type }) => dialect.fitOf(type) !== undefined)
    await loadTable(session, { table, batches, columns: written, key: 'id', since }, mode)
    report.rows[table] = (report.rows[table] ?? 0) + rows
  }
  for (const statement of dialect.dropBatches(batches)) await run(statement)
  await dropLeftOver(session)
  return report
}
