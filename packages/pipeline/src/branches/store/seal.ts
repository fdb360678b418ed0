import { faultPoint, type Logger, type Metrics } from '@tributary/kernel'
import type { ConsumerJournal, SeenId } from '@tributary/storage'
import type { PipelineSettings } from '../../settings.ts'
import type { BatchSize } from './batch-size.ts'
import type { Batch, InsertBuffer } from './buffer.ts'

export type SealerDeps = {
  buffer: InsertBuffer
  size: Pick<BatchSize, 'isDue'>
  journal: Pick<ConsumerJournal, 'begin'>
  logger: Logger
  metrics: Metrics
  settings: Pick<PipelineSettings, 'flushAgeMs' | 'retryBaseMs'>
  pendingIds(): readonly SeenId[]
  idsFlushed(): void
}

export type Sealer = {
  /**
   * Ends the batch in the buffer if it is due at `now` (epoch ms), or by `force`: its ranges and the pending ids are in
   * the journal before it is handed out. Undefined when it is not due, or when the journal cannot be written: then all
   * stays as it is, and nothing is tried for a while, forced or not. The buffer must not be empty.
   */
  seal(now: number, force: boolean): Batch | undefined
  /** How long to wait until what is in the buffer is due by its age, or may be tried again (ms, at least 1). */
  waitMs(now: number): number
}

/** Writes down what an insert will cover before it begins, so that it can be repeated under its token. */
export const createSealer = (deps: SealerDeps): Sealer => {
  const { buffer, size, journal, logger, metrics, settings } = deps
  let heldUntil = 0

  return {
    seal(now, force) {
      if (now < heldUntil || !(force || size.isDue(buffer, now - (buffer.openedAt ?? now)))) return undefined
      const ranges = buffer.ranges()
      faultPoint('pipeline.before-begin')
      try {
        journal.begin(ranges, deps.pendingIds(), now)
      } catch (error) {
        logger.warn({ err: error, what: 'begin' }, 'Cannot write now; trying again until it works')
        metrics.count('pipeline_retries', 1, { what: 'begin' })
        heldUntil = now + settings.retryBaseMs * 10
        return undefined
      }
      deps.idsFlushed()
      const batch = buffer.take(ranges)
      faultPoint('pipeline.after-begin')
      return batch
    },
    waitMs: (now) => Math.max(1, Math.max(heldUntil, (buffer.openedAt ?? now) + settings.flushAgeMs) - now),
  }
}
