import type { StagedRows, StageRow, TypedColumn, WarehouseSession } from './dialect.ts'
import { extraColumn } from './event-rows.ts'
import { textFor } from './fit.ts'
import { dropPlaces, listUnfit } from './statements.ts'

/** Rows that are read and written again at a time. */
const pageRows = 200

/** Added to the place of a row that is staged again, so that it differs from the row that it replaces. */
const again = 1_000_000_000

/** Moves the values that do not fit into `extra_properties`; returns their number with the row. */
const amended = (
  { dialect }: WarehouseSession,
  row: StageRow,
  columns: readonly TypedColumn[],
): { row: StageRow; moved: number } => {
  const values = JSON.parse(row.row_values) as Record<string, string>
  const extra = JSON.parse(values[extraColumn] ?? '{}') as Record<string, unknown>
  const texts = columns.flatMap(({ name, type }) => {
    const value = values[name]
    const fit = dialect.fitOf(type)
    if (value === undefined) return []
    return [{ name, value, text: fit === undefined ? undefined : textFor(fit, value, dialect.years) }]
  })
  // The server refuses a value that should fit: it is unknown which one.
  const isUnknown = texts.every(({ value, text }) => value === text)
  let moved = 0
  for (const { name, value, text } of texts) {
    if (text !== undefined && !isUnknown) {
      values[name] = text
      continue
    }
    delete values[name]
    extra[name] = value
    moved++
  }
  if (moved > 0) values[extraColumn] = JSON.stringify(extra)
  return { row: { ...row, place: row.place + again, row_values: JSON.stringify(values) }, moved }
}

const rowOf = (
  table: string,
  [batch, place, mode, key, received, values, setNull, bytes]: (string | null)[],
): StageRow => ({
  batch: batch ?? '',
  place: Number(place),
  table_name: table,
  mode: mode === 'merge' ? 'merge' : 'insert',
  row_key: key ?? '',
  received_at: received ?? '',
  row_values: values ?? '{}',
  set_null: setNull ?? '',
  bytes: Number(bytes),
})

/**
 * Moves values that no longer fit, because the type of their column changed after they were staged, to
 * `extra_properties`. Returns the number of moved values. The new rows are staged before the old ones are removed; a kill
 * between the two leaves rows that are found again.
 */
export const restageUnfit = async (
  session: WarehouseSession,
  { table, batches }: Pick<StagedRows, 'table' | 'batches'>,
  columns: readonly TypedColumn[],
): Promise<number> => {
  if (columns.length === 0) return 0
  const { dialect, run } = session
  let moved = 0
  for (;;) {
    const found = await run(listUnfit(dialect, { table, batches }, { columns, limit: pageRows }))
    if (found.length === 0) return moved
    const rows = found.map((row) => rowOf(table, row))
    const replaced = rows.map((row) => amended(session, row, columns))
    for (const some of Map.groupBy(replaced, ({ row }) => row.batch).values())
      await session.stage(some.map(({ row }) => row))
    moved += replaced.reduce((sum, each) => sum + each.moved, 0)
    for (const [batch, some] of Map.groupBy(rows, (row) => row.batch))
      for (const statement of dropPlaces(
        dialect,
        batch,
        some.map(({ place }) => place),
      ))
        await run(statement)
  }
}
