import type { Clock, Logger, Metrics } from '@tributary/kernel'
import type { ConsumerJournal, EventStore, JournalRange, SeenId } from '@tributary/storage'
import type { MicroBatch } from '../process.ts'
import { createRetryWrite, Stopped } from '../retrying.ts'
import type { PipelineSettings } from '../settings.ts'
import { createBatchSize } from './store/batch-size.ts'
import { batchAgain, createInsertBuffer, createSealer } from './store/buffer.ts'
import { createCommitter } from './store/commit.ts'
import { createInserter, createInsertPool } from './store/insert.ts'

export type StoreBranch = {
  /** Loads the positions of the journal. Call it once, before everything else. */
  begin(): void
  /** Takes the rows of a micro-batch; its deliveries are durable when `deliveries` resolves. */
  add(batch: MicroBatch, deliveries: Promise<unknown>): void
  /** Begins a batch if one is due and an insert may start. With `force`, a batch is due as soon as one row waits. */
  pump(force?: boolean): void
  /** Inserts the rows of a journaled range again, under its token, and commits. Used by recovery. */
  repeat(
    token: string,
    ranges: readonly JournalRange[],
    batches: readonly MicroBatch[],
    deliveries: Promise<unknown>,
  ): Promise<void>
  /** Whether so much data waits for the store that this reading of a partition should pause. */
  isFull(lane: number): boolean
  /** True when no rows wait and no insert is in flight. */
  isIdle(): boolean
  /** The next offset of each lane; everything before it is stored and committed. */
  committed(): ReadonlyMap<number, number>
  /** Sets the offset where a lane begins; everything before it counts as committed. */
  beginLane(lane: number, at: number): void
  /** When the oldest uncommitted record was appended, epoch ms; undefined if everything is committed. */
  oldest(): number | undefined
  /** Returns the number of waiting rows, the bytes of uncommitted rows, and the number of inserts in flight. */
  load(): { rows: number; bytes: number; inserts: number }
  /** Cancels the timer that begins the next batch. */
  close(): void
}

export type StoreDeps = {
  journal: ConsumerJournal
  eventStore: Pick<EventStore, 'insert'>
  clock: Clock
  logger: Logger
  metrics: Metrics
  settings: PipelineSettings
  signal: AbortSignal
  takeIds(): readonly SeenId[]
  idsFlushed(): void
  /** Called after a commit. */
  onCommitted(): void
  /** Called when back-pressure ends. */
  onDrain(): void
  /** Called with an error that a retry cannot fix; the pipeline must end. */
  onFault(error: unknown): void
}

/**
 * The branch to the event store. It stores every event exactly once, even if the process is killed at any point. The
 * ranges and IDs of a batch, and the token of its insert, are in the journal before the insert. A position advances
 * only when everything before the position is acknowledged by the store and durable in the deliveries log. So repeating
 * the open ranges in the same order under the same tokens stores nothing twice.
 *
 *     add ─▶ buffer ─▶ seal (journal) ─▶ insert pool ─▶ insert ─▶ commit (journal)
 */
export const createStoreBranch = (deps: StoreDeps): StoreBranch => {
  const { clock, settings, signal } = deps
  const retryWrite = createRetryWrite(deps)
  const buffer = createInsertBuffer()
  const size = createBatchSize(settings)
  const sealer = createSealer({ ...deps, buffer, size, retryWrite })
  const committer = createCommitter({ ...deps, retryWrite })
  const insertPool = createInsertPool({
    count: settings.concurrentInserts,
    signal,
    insert: createInserter({ ...deps, retryWrite, onInserted: size.inserted }),
    committer,
    onFree() {
      pump()
      deps.onDrain()
    },
    onFault: deps.onFault,
  })
  let timer: NodeJS.Timeout | undefined

  const forgetTimer = (): void => {
    clearTimeout(timer)
    timer = undefined
  }

  const wait = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      timer = undefined
      pump(true)
    }, ms)

  const pump = (force = false): void => {
    if (buffer.isEmpty() || sealer.batch !== undefined || !insertPool.isFree() || signal.aborted) return
    const now = clock()
    if (!force && !sealer.isDue(now)) {
      timer ??= wait(sealer.waitMs(now))
      return
    }
    forgetTimer()
    void seal(now)
  }

  const seal = async (now: number): Promise<void> => {
    try {
      await sealer.seal(now, (batch) => void insertPool.launch(batch))
    } catch (error) {
      if (!(error instanceof Stopped) && !signal.aborted) deps.onFault(error)
      return
    }
    // Rows may have arrived while the batch was being sealed.
    pump()
    deps.onDrain()
  }

  return {
    begin: committer.begin,
    add(batch, delivered) {
      delivered.catch(() => {})
      buffer.add(batch, delivered, clock())
      pump()
    },
    pump,
    repeat: (token, ranges, batches, delivered) => insertPool.launch(batchAgain(token, ranges, batches, delivered)),
    isFull: (lane) => size.isFull(buffer, buffer.bytesOf(lane)),
    isIdle: () => buffer.isEmpty() && sealer.batch === undefined && committer.isIdle(),
    committed: committer.positions,
    beginLane: committer.beginLane,
    oldest() {
      const known = [buffer.since, sealer.batch?.since, committer.oldest()].filter((since) => since !== undefined)
      return known.length === 0 ? undefined : Math.min(...known)
    },
    load: () => ({
      rows: buffer.rows,
      bytes: buffer.bytes + (sealer.batch?.bytes ?? 0) + committer.bytes(),
      inserts: insertPool.busy,
    }),
    close: forgetTimer,
  }
}
