import { faultPoint } from '@tributary/kernel'
import type { ConsumerJournal } from '@tributary/storage'
import type { RetryWrite } from '../../retrying.ts'
import type { Batch } from './buffer.ts'

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
