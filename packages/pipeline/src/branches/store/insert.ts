import { type Clock, faultPoint, freeMemory, type Logger, type Metrics } from '@tributary/kernel'
import { type EventStore, InsertRejected, insertDroppedEvents, insertEvents, rowPieces } from '@tributary/storage'
import { storeRefused, TableRefuses } from '../../bisect.ts'
import { type RetryWrite, Stopped } from '../../retrying.ts'
import { discardedRow, eventColumns, refusedRow, rowOwner } from '../../rows/rows.ts'
import type { PipelineSettings } from '../../settings.ts'
import type { Batch } from './buffer.ts'
import type { Committer } from './commit.ts'

type InserterDeps = {
  eventStore: Pick<EventStore, 'insert'>
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: Pick<PipelineSettings, 'patience'>
  signal: AbortSignal
  retryWrite: RetryWrite
  /** Called when rows are stored, with their number and the duration (ms). */
  onInserted(rows: number, ms: number): void
}

/**
 * Stores a batch: its rows, then the counts of discarded events, both under the batch's token. A failed insert is
 * retried without end. Rows that the engine refuses are found by bisection and become rejected events; the other rows
 * are stored unchanged. Frees the memory of the rows. Rejects with Stopped once `signal` aborts.
 */
export const createInserter = (deps: InserterDeps): ((batch: Batch) => Promise<void>) => {
  const { eventStore, clock, logger, metrics, settings, signal, retryWrite } = deps

  const retryInsert = (table: string, write: () => Promise<void>): Promise<void> =>
    retryWrite(`insert_${table}`, write, (error) => !(error instanceof InsertRejected))

  const storeEvents = (pieces: readonly Uint8Array[], token: string): Promise<void> =>
    retryInsert('events', () => insertEvents(eventStore, { columns: eventColumns, pieces }, { token, signal }))

  /**
   * Stores rows that the engine refused as a whole, in smaller parts down to single rows. Faulty rows become rejected
   * events.
   */
  const insertRefused = async (batch: Batch, refusal: InsertRejected): Promise<void> => {
    const options = { replace: refusedRow, ownerOf: rowOwner, patience: settings.patience }
    // Copied into one buffer: thousands of small pieces cost the client and the store more than this copy.
    const insertParts = (part: readonly Uint8Array[], token: string): Promise<void> =>
      storeEvents([Buffer.concat(part)], token)
    const result = await retryWrite(
      'insert_refused',
      () => storeRefused(insertParts, rowPieces(batch.rows), batch.token, refusal, options),
      (error) => error instanceof TableRefuses,
    )
    metrics.count('pipeline_rows_refused', result.replaced)
    const { replaced, engineCodes } = result
    logger.warn({ rows: replaced, engineCodes }, 'event store refused rows; they are kept as rejected')
  }

  const insertRows = async (batch: Batch): Promise<void> => {
    const count = batch.rows.reduce((sum, part) => sum + part.ends.length, 0)
    if (count === 0) return
    const started = performance.now()
    try {
      await storeEvents(
        batch.rows.map((part) => part.bytes),
        batch.token,
      )
    } catch (error) {
      if (!(error instanceof InsertRejected)) throw error
      await insertRefused(batch, error)
    }
    const took = performance.now() - started
    deps.onInserted(count, took)
    metrics.observe('pipeline_insert', took)
    metrics.count('pipeline_rows_stored', count)
    metrics.gauge('pipeline_last_stored_seconds', clock() / 1000)
  }

  const insertDiscarded = async ({ discarded, token }: Batch): Promise<void> => {
    if (discarded.length === 0) return
    const store = (): Promise<void> =>
      insertDroppedEvents(eventStore, discarded.map(discardedRow).join('\n'), { token, signal })
    await retryWrite('insert_discarded', () => retryInsert('dropped_events', store))
    for (const { events, sourceId, reason } of discarded) {
      metrics.count('pipeline_events_discarded', events, { source: sourceId, reason })
    }
  }

  return async (batch) => {
    await insertRows(batch)
    for (const { bytes } of batch.rows) freeMemory(bytes)
    await insertDiscarded(batch)
  }
}

type InsertPoolDeps = {
  /** Maximum number of concurrent inserts. */
  count: number
  signal: AbortSignal
  insert(batch: Batch): Promise<void>
  committer: Pick<Committer, 'track' | 'stored' | 'delivered' | 'commit'>
  /** Called when another insert may start. */
  onFree(): void
  /** Called with an error that a retry cannot fix. */
  onFault(error: unknown): void
}

/**
 * Limits the inserts in flight. The next may start when a batch is stored, even if its deliveries or commit are
 * pending.
 */
export const createInsertPool = ({ count, signal, insert, committer, onFree, onFault }: InsertPoolDeps) => {
  let busy = 0

  const store = async (batch: Batch): Promise<void> => {
    try {
      await insert(batch)
      faultPoint('pipeline.after-insert')
      committer.stored(batch.token)
    } finally {
      busy--
    }
  }

  const carry = async (batch: Batch): Promise<void> => {
    const stored = store(batch)
    const delivered = batch.deliveries.then(() => committer.delivered(batch.token))
    // If storing fails, nothing awaits this promise.
    delivered.catch(() => {})
    await stored
    onFree()
    await delivered
    await committer.commit()
  }

  return {
    /**
     * Inserts a batch whose ranges are in the journal into the event store, and commits it once it is stored and
     * delivered. Resolves when that is done or has failed; never rejects.
     */
    launch(batch: Batch): Promise<void> {
      committer.track(batch)
      busy++
      return carry(batch).catch((error: unknown) => {
        if (!(error instanceof Stopped) && !signal.aborted) onFault(error)
      })
    },
    isFree: () => busy < count,
    /** Number of inserts in flight. */
    get busy() {
      return busy
    },
  }
}
