import { faultPoint, randomToken } from '@tributary/kernel'
import type { ConsumerJournal, JournalRange, Rows, SeenId } from '@tributary/storage'
import type { MicroBatch } from '../../process.ts'
import type { RetryWrite } from '../../retrying.ts'
import type { DiscardedCount } from '../../rows/rows.ts'
import type { PipelineSettings } from '../../settings.ts'
import type { BatchSize } from './batch-size.ts'

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
