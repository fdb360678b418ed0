import { type Clock, faultPoint, freeMemory, type Logger, type Metrics } from '@tributary/kernel'
import {
  type ConsumerJournal,
  type EventStore,
  InsertRejected,
  insertDroppedEvents,
  insertEvents,
  type JournalRange,
  type Rows,
  rowPieces,
} from '@tributary/storage'
import { storeRefused, TableRefuses } from '../../bisect.ts'
import { type RetryWrite, Stopped } from '../../retrying.ts'
import { type DiscardedCount, discardedRow, eventColumns, refusedRow, rowOwner } from '../../rows/rows.ts'
import type { PipelineSettings } from '../../settings.ts'

/** The rows of one insert into the event store, committed as a whole. */
export type Batch = {
  readonly token: string
  readonly ranges: readonly JournalRange[]
  readonly rows: readonly Rows[]
  readonly discarded: readonly DiscardedCount[]
  /** Resolves when the deliveries of its events are durable. */
  readonly deliveries: Promise<unknown>
  /** When the oldest record of the batch was appended, epoch ms. */
  readonly since: number
  /** Bytes of the batch's rows. */
  readonly bytes: number
}

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

/** A range of one partition's log: the offsets [`from`, `to`). */
type Range = { readonly partition: number; readonly from: number; readonly to: number }

type OpenBatch = { readonly token: string; readonly ranges: readonly Range[]; stored: boolean; delivered: boolean }

/**
 * Tracks batches that have begun, and decides which can be committed. A position advances past a batch only when the
 * event store has its rows and its deliveries are durable. A batch is committed as a whole, so recovery repeats under
 * one token exactly what was begun under it. This tracking does no I/O; the caller commits the result.
 */
export const createInFlight = () => {
  const batches: OpenBatch[] = []
  const ends = new Map<number, number>()

  const batchOf = (token: string): OpenBatch => {
    const batch = batches.find((candidate) => candidate.token === token)
    if (batch === undefined) throw new Error(`No batch in flight has the token ${token}`)
    return batch
  }

  return {
    /** Begins a batch of ranges. Throws if a range does not come after the earlier ranges of its partition. */
    begin(token: string, ranges: readonly Range[]): void {
      if (batches.some((batch) => batch.token === token)) throw new Error(`The token ${token} is in flight already`)
      for (const { partition, from, to } of ranges) {
        const end = ends.get(partition)
        if (to < from || (end !== undefined && from < end)) {
          throw new Error(`The range ${from}–${to} of partition ${partition} does not lie behind ${end ?? from}`)
        }
      }
      for (const range of ranges) ends.set(range.partition, range.to)
      batches.push({ token, ranges: [...ranges], stored: false, delivered: false })
    },
    /** Records that the event store has acknowledged the batch. */
    stored(token: string): void {
      batchOf(token).stored = true
    },
    /** Records that the batch's deliveries are durable. */
    delivered(token: string): void {
      batchOf(token).delivered = true
    },
    /**
     * Takes the positions (partition → next offset) after the oldest batches that are all both stored and delivered.
     * Drops these batches. Undefined if the oldest batch is not finished.
     */
    takeCommittable(): Map<number, number> | undefined {
      let count = 0
      const positions = new Map<number, number>()
      for (const batch of batches) {
        if (!batch.stored || !batch.delivered) break
        for (const range of batch.ranges) positions.set(range.partition, range.to)
        count++
      }
      if (count === 0) return undefined
      batches.splice(0, count)
      return positions
    },
    /** Number of batches that have begun and that `takeCommittable` has not taken. */
    get size() {
      return batches.length
    },
  }
}

export type Committer = {
  /** Loads the positions of the journal. Call it once, before everything else. */
  begin(): void
  /**
   * Tracks a batch whose ranges are in the journal and whose insert is in flight. Batches of a partition must be added
   * in their order.
   */
  track(batch: Batch): void
  /** Records that the event store has a batch's rows. */
  stored(token: string): void
  /** Records that a batch's deliveries are durable. */
  delivered(token: string): void
  /**
   * Commits every batch that is stored and delivered, with all batches before it; retries until the journal has it.
   * Resolves immediately while a commit is running, which also commits batches that have become ready since it began.
   * Rejects with Stopped once stopped.
   */
  commit(): Promise<void>
  /** Whether nothing is tracked and no commit is running. */
  isIdle(): boolean
  /** The next offset of each lane; everything before it is stored and committed. */
  positions(): ReadonlyMap<number, number>
  /** Sets the offset where a lane begins; everything before it counts as committed. */
  beginLane(lane: number, at: number): void
  /** When the oldest tracked record was appended, epoch ms; undefined if no batch is tracked. */
  oldest(): number | undefined
  /** Bytes of rows of the tracked batches. */
  bytes(): number
}

type CommitterDeps = {
  journal: Pick<ConsumerJournal, 'positions' | 'commit'>
  retryWrite: RetryWrite
  /** Called after a commit. */
  onCommitted(): void
}

/** Advances the positions of the journal past stored and delivered batches, one by one and in order. */
export const createCommitter = ({ journal, retryWrite, onCommitted }: CommitterDeps): Committer => {
  const inFlight = createInFlight()
  const tracked = new Map<string, Batch>()
  const committed = new Map<number, number>()
  let committing = false

  /** Drops the batches whose ranges are committed, and reports the commit. */
  const finish = (): void => {
    for (const [token, { ranges }] of tracked)
      if (ranges.every(({ partition, to }) => to <= (committed.get(partition) ?? 0))) tracked.delete(token)
    onCommitted()
  }

  const commitReady = async (): Promise<void> => {
    for (let ready = inFlight.takeCommittable(); ready !== undefined; ready = inFlight.takeCommittable()) {
      const moved = ready
      faultPoint('pipeline.before-commit')
      await retryWrite('commit', () => journal.commit(moved))
      for (const [partition, offset] of moved) committed.set(partition, offset)
      finish()
    }
  }

  return {
    begin() {
      for (const [partition, offset] of journal.positions()) committed.set(partition, offset)
    },
    track(batch) {
      tracked.set(batch.token, batch)
      inFlight.begin(batch.token, batch.ranges)
    },
    stored: inFlight.stored,
    delivered: inFlight.delivered,
    async commit() {
      if (committing) return
      committing = true
      try {
        await commitReady()
      } finally {
        committing = false
      }
    },
    isIdle: () => inFlight.size === 0 && !committing,
    positions: () => committed,
    beginLane: (lane, at) => committed.set(lane, at),
    oldest() {
      let oldest: number | undefined
      for (const { since } of tracked.values()) oldest = Math.min(oldest ?? since, since)
      return oldest
    },
    bytes() {
      let bytes = 0
      for (const batch of tracked.values()) bytes += batch.bytes
      return bytes
    },
  }
}
