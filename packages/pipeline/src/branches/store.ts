import { type Clock, faultPoint, type Logger, type Metrics, randomToken } from '@tributary/kernel'
import type { ConsumerJournal, EventStore, JournalRange, Rows, SeenId } from '@tributary/storage'
import type { MicroBatch } from '../process.ts'
import { createRetryWrite, type RetryWrite, Stopped } from '../retrying.ts'
import type { DiscardedCount } from '../rows/rows.ts'
import type { PipelineSettings } from '../settings.ts'
import { type Batch, createCommitter, createInserter, createInsertPool } from './store/insert.ts'

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

export type InsertBuffer = {
  /** Adds a micro-batch at `now` (epoch ms). It must follow the earlier ones of its lane. */
  add(batch: MicroBatch, deliveries: Promise<unknown>, now: number): void
  /** The ranges in the buffer, by lane, under a new token. */
  ranges(): JournalRange[]
  /** Takes all rows as the batch of these `ranges`, and empties the buffer. */
  take(ranges: readonly JournalRange[]): Batch
  isEmpty(): boolean
  /** Returns the bytes of the rows of one lane. */
  bytesOf(lane: number): number
  readonly rows: number
  /** Bytes of rows. */
  readonly bytes: number
  /** When the oldest record of the buffer was appended, epoch ms; undefined if the buffer is empty. */
  readonly since: number | undefined
  /** When the first micro-batch was added, epoch ms; undefined if the buffer is empty. */
  readonly openedAt: number | undefined
}

const mergeDiscarded = (into: Map<string, DiscardedCount>, more: ReadonlyMap<string, DiscardedCount>): void => {
  for (const [key, count] of more) {
    const known = into.get(key)
    if (known === undefined) into.set(key, { ...count })
    else known.events += count.events
  }
}

/**
 * Creates the sums over the micro-batches of a batch: discarded events, time of the oldest record, number of rows, and
 * bytes.
 */
const createSums = () => ({
  discarded: new Map<string, DiscardedCount>(),
  since: Number.POSITIVE_INFINITY,
  rows: 0,
  bytes: 0,
})

const sum = (sums: ReturnType<typeof createSums>, batch: MicroBatch): void => {
  mergeDiscarded(sums.discarded, batch.discarded)
  sums.since = Math.min(sums.since, batch.since)
  sums.rows += batch.rows.ends.length
  sums.bytes += batch.rows.bytes.length
}

/**
 * Rebuilds the batch of journaled ranges from micro-batches of the same records, which were read again in the same
 * order.
 */
export const batchAgain = (
  token: string,
  ranges: readonly JournalRange[],
  batches: readonly MicroBatch[],
  deliveries: Promise<unknown>,
): Batch => {
  const sums = createSums()
  for (const batch of batches) sum(sums, batch)
  const { since, bytes } = sums
  const rows = batches.map((batch) => batch.rows)
  return { token, ranges, rows, discarded: [...sums.discarded.values()], deliveries, since, bytes }
}

type Part = { readonly from: number; to: number; bytes: number; readonly rows: Rows[] }

/**
 * Collects micro-batches of all lanes for the next insert. Rows of a batch are ordered by lane, and within a lane by
 * offset, regardless of the order of `add`. So a batch rebuilt from the log is byte-identical.
 */
export const createInsertBuffer = (): InsertBuffer => {
  let parts = new Map<number, Part>()
  let sums = createSums()
  let deliveries: Promise<unknown>[] = []
  let openedAt = 0

  const byLane = (): [number, Part][] => [...parts].sort(([a], [b]) => a - b)

  return {
    add(batch, delivered, now) {
      if (parts.size === 0) openedAt = now
      const { lane, from, to, rows } = batch
      const part = parts.get(lane)
      if (part === undefined) parts.set(lane, { from, to, bytes: rows.bytes.length, rows: [rows] })
      else {
        part.bytes += rows.bytes.length
        part.to = to
        part.rows.push(rows)
      }
      sum(sums, batch)
      deliveries.push(delivered)
    },
    ranges() {
      const sorted = byLane()
      const first = sorted[0]
      const token = `${first?.[0]}-${first?.[1].from}-${randomToken(9)}`
      return sorted.map(([lane, { from, to }]) => ({ partition: lane, from, to, token }))
    },
    take(ranges) {
      const [first] = ranges
      if (first === undefined) throw new Error('There is nothing in the buffer')
      const { discarded, since, bytes } = sums
      const batch: Batch = {
        token: first.token,
        ranges,
        rows: byLane().flatMap(([, part]) => part.rows),
        discarded: [...discarded.values()],
        deliveries: Promise.all(deliveries),
        since,
        bytes,
      }
      parts = new Map()
      sums = createSums()
      deliveries = []
      return batch
    },
    isEmpty: () => parts.size === 0,
    bytesOf: (lane) => parts.get(lane)?.bytes ?? 0,
    get rows() {
      return sums.rows
    },
    get bytes() {
      return sums.bytes
    },
    get since() {
      return parts.size === 0 ? undefined : sums.since
    },
    get openedAt() {
      return parts.size === 0 ? undefined : openedAt
    },
  }
}

type SealerDeps = {
  buffer: InsertBuffer
  size: Pick<BatchSize, 'isDue'>
  journal: Pick<ConsumerJournal, 'begin'>
  retryWrite: RetryWrite
  settings: Pick<PipelineSettings, 'flushAgeMs'>
  takeIds(): readonly SeenId[]
  idsFlushed(): void
}

/** Journals the ranges of an insert before it begins, so that it can be repeated under its token. */
export const createSealer = (deps: SealerDeps) => {
  const { buffer, size, journal, retryWrite, settings } = deps
  let sealing: Batch | undefined

  return {
    /** Whether the buffer is due at `now` (epoch ms). */
    isDue: (now: number): boolean => size.isDue(buffer, now - (buffer.openedAt ?? now)),
    /**
     * Ends the batch in the buffer, which must not be empty. Writes its ranges and the waiting IDs to the journal, with
     * retries, and then calls `handOn`. Calls must not overlap: the journal needs batches in their order. Rejects with
     * Stopped once stopped.
     */
    async seal(now: number, handOn: (batch: Batch) => void): Promise<void> {
      const ranges = buffer.ranges()
      const ids = deps.takeIds()
      const batch = buffer.take(ranges)
      sealing = batch
      try {
        faultPoint('pipeline.before-begin')
        // Retries after any error. A failed write may still be in the journal, and recovery would then repeat the batch
        // under its token.
        await retryWrite('begin', () => journal.begin(ranges, ids, now))
        deps.idsFlushed()
        faultPoint('pipeline.after-begin')
        handOn(batch)
      } finally {
        sealing = undefined
      }
    },
    /** The batch that is being written to the journal. */
    get batch() {
      return sealing
    },
    /** Time until the buffer is due by its age (ms, at least 1). */
    waitMs: (now: number): number => Math.max(1, (buffer.openedAt ?? now) + settings.flushAgeMs - now),
  }
}

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
