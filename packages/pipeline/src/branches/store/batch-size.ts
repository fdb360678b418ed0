import type { PipelineSettings } from '../../settings.ts'

/** Minimum rows of a batch: a smaller insert costs nearly as much as an insert of this size. */
const minBatchRows = 2000

/** The rows that wait for their insert: their number, and their bytes. */
type Waiting = { readonly rows: number; readonly bytes: number }

export type BatchSize = {
  /** Records that an insert of this many rows took this long (ms). */
  inserted(rows: number, ms: number): void
  /** Whether a batch should start, by the waiting rows and the age (ms) of the oldest of them. */
  isDue(waiting: Waiting, ageMs: number): boolean
  /**
   * Whether reading of a partition should pause until a batch starts. `ownBytes` is the part of the waiting bytes that
   * belongs to the partition.
   */
  isFull(waiting: Waiting, ownBytes: number): boolean
}

/**
 * Decides the size of a batch: as many rows as the store takes in `batchMs`, estimated from its latest inserts, within
 * the limits of the settings. A partition may always add its share to a full batch. At most two batches wait.
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
