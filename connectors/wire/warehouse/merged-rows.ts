import { extraColumn } from './event-rows.ts'
import type { TableRow } from './prepare-rows.ts'

/** Merges rows that overwrite the same row, with the later values, because a statement can change a row only once. */
export const mergedByKey = (rows: readonly TableRow[]): TableRow[] => {
  const merged = new Map<string, TableRow>()
  for (const row of rows) {
    const place = `${row.table}\n${String(row.values.get(row.key))}`
    const before = merged.get(place)
    if (before === undefined) {
      merged.set(place, { ...row, values: new Map(row.values) })
      continue
    }
    const [old, added] = [before.values.get(extraColumn), row.values.get(extraColumn)]
    for (const [column, value] of row.values) before.values.set(column, value)
    if (typeof old === 'object' && typeof added === 'object') before.values.set(extraColumn, { ...old, ...added })
  }
  return [...merged.values()]
}
