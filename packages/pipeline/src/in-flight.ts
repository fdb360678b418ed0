/** A range of one partition's log: the offsets [`from`, `to`). */
export type Range = { readonly partition: number; readonly from: number; readonly to: number }

/** Tracks batches that have begun and are not committed, and decides when they can be committed. */
export type InFlight = {
  /** Begins a batch of ranges. Each must come after earlier ranges of its partition; throws otherwise. */
  begin(token: string, ranges: readonly Range[]): void
  /** Records that the event store has acknowledged the batch. */
  stored(token: string): void
  /** Records that the batch's deliveries are durable. */
  delivered(token: string): void
  /**
   * Takes the positions (partition → next offset) after the oldest batches that are all both stored and delivered.
   * Drops these batches. Undefined if the oldest batch is not finished.
   */
  takeCommittable(): Map<number, number> | undefined
  /** Number of batches that have begun and are not taken. */
  readonly size: number
}

type Batch = { readonly token: string; readonly ranges: readonly Range[]; stored: boolean; delivered: boolean }

/**
 * Decides which batches can be committed. A position advances only past batches with both acknowledgements. A batch is
 * committed as a whole, so recovery repeats under one token exactly what was begun under it. It does no I/O; the caller
 * commits the result.
 */
export const createInFlight = (): InFlight => {
  const batches: Batch[] = []
  const ends = new Map<number, number>()

  const batchOf = (token: string): Batch => {
    const batch = batches.find((candidate) => candidate.token === token)
    if (batch === undefined) throw new Error(`No batch in flight has the token ${token}`)
    return batch
  }

  return {
    begin(token, ranges) {
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
    stored(token) {
      batchOf(token).stored = true
    },
    delivered(token) {
      batchOf(token).delivered = true
    },
    takeCommittable() {
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
    get size() {
      return batches.length
    },
  }
}
