import type { Clock, Logger, Metrics } from '@tributary/kernel'
import type { ConsumerJournal, EventStore, JournalRange, SeenId } from '@tributary/storage'
import type { MicroBatch } from '../process.ts'
import { createRetryWrite, Stopped } from '../retrying.ts'
import type { PipelineSettings } from '../settings.ts'
import { createBatchSize } from './store/batch-size.ts'
import { batchAgain, createInsertBuffer } from './store/buffer.ts'
import { createCommitter } from './store/commit.ts'
import { createInserter } from './store/insert.ts'
import { createInsertPool } from './store/insert-pool.ts'
import { createSealer } from './store/seal.ts'

export type StoreBranch = {
  /** Takes over the positions of the journal. To be called once, before anything is added or asked. */
  begin(): void
  /** Takes the rows of a micro-batch, whose deliveries are durable when `deliveries` resolves. */
  add(batch: MicroBatch, deliveries: Promise<unknown>): void
  /** Begins a batch if one is due and an insert may start; `force` makes any waiting row due. */
  pump(force?: boolean): void
  /** Inserts what a range of the journal carried, under its token, and commits. For recovery. */
  repeat(
    token: string,
    ranges: readonly JournalRange[],
    batches: readonly MicroBatch[],
    deliveries: Promise<unknown>,
  ): Promise<void>
  /** Whether so much waits for the store that this reading of a partition should wait, too. */
  isFull(lane: number): boolean
  /** Nothing waits and nothing is in flight. */
  isIdle(): boolean
  /** Next offset per lane that is stored and committed. */
  committed(): ReadonlyMap<number, number>
  /** A reading begins at an offset: all of it before is committed. */
  beginLane(lane: number, at: number): void
  /** When the oldest uncommitted record was appended, epoch ms; undefined with nothing uncommitted. */
  oldest(): number | undefined
  /** Rows that wait, bytes of rows not yet committed, inserts under way. */
  load(): { rows: number; bytes: number; inserts: number }
  /** Forgets its timer. */
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
  /** Called with what no retry fixes; the pipeline cannot go on. */
  onFault(error: unknown): void
}

/**
 * The branch to the event store. Its guarantee, whatever is killed when: a batch's ranges and ids are in the journal
 * before the batch is inserted, with the token of its insert; a position moves only behind the store's acknowledgement
 * and the durable append to deliveries of everything before it. Repeating the open ranges in the same order under the
 * same tokens therefore stores every event exactly once.
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
    // What came meanwhile.
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
