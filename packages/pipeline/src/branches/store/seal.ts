import { faultPoint } from '@tributary/kernel'
import type { ConsumerJournal, SeenId } from '@tributary/storage'
import type { RetryWrite } from '../../retrying.ts'
import type { PipelineSettings } from '../../settings.ts'
import type { BatchSize } from './batch-size.ts'
import type { Batch, InsertBuffer } from './buffer.ts'

export type SealerDeps = {
  buffer: InsertBuffer
  size: Pick<BatchSize, 'isDue'>
  journal: Pick<ConsumerJournal, 'begin'>
  retryWrite: RetryWrite
  settings: Pick<PipelineSettings, 'flushAgeMs'>
  takeIds(): readonly SeenId[]
  idsFlushed(): void
}

export type Sealer = {
  /** Whether the buffer is due at `now` (epoch ms). */
  isDue(now: number): boolean
  /**
   * Ends the batch in the buffer, which must not be empty. Writes its ranges and the waiting IDs to the journal, with
   * retries, and then calls `handOn`. Calls must not overlap: the journal needs batches in their order. Rejects with
   * Stopped once stopped.
   */
  seal(now: number, handOn: (batch: Batch) => void): Promise<void>
  /** The batch that is being written to the journal. */
  readonly batch: Batch | undefined
  /** Time until the buffer is due by its age (ms, at least 1). */
  waitMs(now: number): number
}

/** Journals the ranges of an insert before it begins, so that it can be repeated under its token. */
export const createSealer = (deps: SealerDeps): Sealer => {
  const { buffer, size, journal, retryWrite, settings } = deps
  let sealing: Batch | undefined

  return {
    isDue: (now) => size.isDue(buffer, now - (buffer.openedAt ?? now)),
    async seal(now, handOn) {
      const ranges = buffer.ranges()
      const ids = deps.takeIds()
      const batch = buffer.take(ranges)
      sealing = batch
      try {
        faultPoint('pipeline.before-begin')
        // Retries any error: a failed write may still be in the journal, and would be repeated under its token.
        await retryWrite(
          'begin',
          () => journal.begin(ranges, ids, now),
          () => true,
        )
        deps.idsFlushed()
        faultPoint('pipeline.after-begin')
        handOn(batch)
      } finally {
        sealing = undefined
      }
    },
    get batch() {
      return sealing
    },
    waitMs: (now) => Math.max(1, (buffer.openedAt ?? now) + settings.flushAgeMs - now),
  }
}
