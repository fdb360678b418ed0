import { createHash } from 'node:crypto'
import { ConfigurationError, type OutgoingEvent, parseExactJson } from '@tributary/connector-kit'
import { rulesOf } from './column-rules.ts'
import type { StageRow, WarehouseSession } from './dialect.ts'
import { extraColumn, ownTables, type Row, type WrittenEvent } from './event-rows.ts'
import { safeJson } from './fit.ts'
import { mergedByKey } from './merged-rows.ts'
import { requireNeeded } from './needed-columns.ts'
import { prepareRows, type TableRow } from './prepare-rows.ts'
import type { Columns, Tables } from './tables.ts'
import { isForEvents, warehouseRows } from './warehouse-rows.ts'
import type { WarehouseTables } from './warehouse-tables.ts'

/** Bytes of a row besides its values. */
const rowBytes = 100

/** Returns the key of a row as text. Throws if it does not fit its column: rows without a key would be one row. */
const keyOf = (table: string, value: unknown): string => {
  if (typeof value !== 'string') throw new ConfigurationError(`The column of keys of ${table} does not take a key`)
  return value
}

/** Returns a row in the form of the stage. */
export const stageRow = (batch: string, place: number, { table, mode, key, values }: TableRow): StageRow => {
  const texts: Record<string, string> = {}
  let setNull = ''
  for (const [column, value] of values) {
    if (value === null) setNull += setNull === '' ? `|${column}|` : `${column}|`
    else texts[column] = column === extraColumn ? safeJson(value) : `${value as string}`
  }
  const row_values = JSON.stringify(texts)
  return {
    batch,
    place,
    table_name: table,
    mode,
    row_key: keyOf(table, values.get(key)),
    received_at: texts.received_at ?? '',
    row_values,
    set_null: setNull,
    bytes: Buffer.byteLength(row_values) + rowBytes,
  }
}

/** Returns the row of the stage that has the column types for which a batch was made. */
const columnsRow = async (batch: string, rows: readonly TableRow[], tables: Tables): Promise<StageRow> => {
  const types: Record<string, Record<string, string>> = {}
  for (const { table, values } of rows) {
    const columns = await tables.columns(table)
    const used = (types[table] ??= {})
    for (const column of values.keys()) {
      const type = columns?.get(column)
      if (type !== undefined) used[column] = type
    }
  }
  const row_values = JSON.stringify(types)
  return {
    batch,
    place: 0,
    table_name: '',
    mode: 'columns',
    row_key: '',
    received_at: rows.map(({ values }) => String(values.get('received_at'))).toSorted()[0] ?? '',
    row_values,
    set_null: '',
    bytes: 0,
  }
}

/**
 * Returns the name of a batch. Names sort by the time of staging, and end in a hash of the events, so that two batches
 * of one moment differ.
 */
export const batchName = (events: readonly { eventId: string }[], now: number): string => {
  const hash = createHash('sha256')
  for (const { eventId } of events) hash.update(`${eventId}\n`)
  return `${new Date(now).toISOString().replace(/[-:.]/g, '')}-${hash.digest('hex').slice(0, 16)}`
}

/** Returns the row for another table if its own is one of a sync, or of the company. */
const besideOthers = (known: ReadonlyMap<string, Columns>, row: Row): Row => {
  const columns = known.get(row.table)
  const isOther = columns !== undefined && row.mode === 'insert' && !isForEvents(row.table, columns)
  return isOther && !ownTables.some((own) => own === row.table)
    ? { ...row, table: `event_${row.table}`.slice(0, 60) }
    : row
}

/**
 * Writes events to the stage of a warehouse as one batch. Creates missing tables and columns first. A value that does
 * not fit its column is stored in `extra_properties`. Rejects with a DeliveryError; the batch can then be repeated. Stages
 * nothing if a column that loads need has another type.
 */
export const stageEvents = async (
  session: WarehouseSession,
  tables: WarehouseTables,
  { events, now }: { events: readonly OutgoingEvent[]; now: number },
): Promise<void> => {
  const { dialect } = session
  const known = await tables.list()
  const prepared = await prepareRows(
    tables,
    events.map(({ json, payload }) =>
      warehouseRows(dialect, parseExactJson(json) as WrittenEvent, payload).map((row) => besideOthers(known, row)),
    ),
    rulesOf(dialect),
  )
  const all = prepared.flat()
  for (const table of new Set(all.map((row) => row.table)))
    requireNeeded(dialect, table, (await tables.columns(table)) ?? new Map())
  const rows = [
    ...all.filter(({ mode }) => mode === 'insert'),
    ...mergedByKey(all.filter(({ mode }) => mode === 'merge')),
  ]
  const batch = batchName(events, now)
  await session.stage([await columnsRow(batch, rows, tables), ...rows.map((row, at) => stageRow(batch, at + 1, row))])
}
