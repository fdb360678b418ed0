import type { PipelineSettings } from '../../settings.ts'

/** Fewer rows are not asked for: below, an insert costs nearly as much as with so many. */
const minBatchRows = 2000

/** Rows that wait for their insert, and their bytes. */
type Waiting = { readonly rows: number; readonly bytes: number }

export type BatchSize = {
  /** An insert of so many rows took so long (ms). */
  inserted(rows: number, ms: number): void
  /** Whether what waits, the oldest for `ageMs`, is to be begun. */
  isDue(waiting: Waiting, ageMs: number): boolean
  /** Whether a partition, of which `ownBytes` wait, should be read no further before a batch is begun. */
  isFull(waiting: Waiting, ownBytes: number): boolean
}

/**
 * How large a batch should be: as many rows as the store takes in `batchMs`, by its latest inserts, within the bounds of
 * the settings. A partition always has its share of a full batch, and never more than twice a batch waits.
 */
export const createBatchSize = (
  settings: Pick<
    PipelineSettings,
    'flushRows' | 'flushBytes' | 'flushAgeMs' | 'batchRows' | 'batchBytes' | 'batchMs' | 'shareBytes'
  >,
): BatchSize => {
  let rowsPerMs = 0

  const maxRows = (): number =>
    rowsPerMs === 0
      ? settings.batchRows
      : Math.min(settings.batchRows, Math.max(minBatchRows, Math.round(rowsPerMs * settings.batchMs)))

  return {
    inserted(rows, ms) {
      rowsPerMs = rowsPerMs === 0 ? rows / ms : rowsPerMs * 0.7 + (rows / ms) * 0.3
    },
    isDue: ({ rows, bytes }, ageMs) =>
      rows >= Math.min(settings.flushRows, maxRows()) || bytes >= settings.flushBytes || ageMs >= settings.flushAgeMs,
    isFull({ rows, bytes }, ownBytes) {
      const limit = maxRows()
      if (rows < limit && bytes < settings.batchBytes) return false
      return ownBytes >= settings.shareBytes || rows >= 2 * limit || bytes >= 2 * settings.batchBytes
    },
  }
}
