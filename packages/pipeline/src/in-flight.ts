/** A piece of one partition's log: offsets `from` to before `to`. */
export type Range = { readonly partition: number; readonly from: number; readonly to: number }

/** What is begun and not committed, and when it may be committed. */
export type InFlight = {
  /** A batch of ranges is begun. Each lies behind those of its partition in the batches before; throws otherwise. */
  begin(token: string, ranges: readonly Range[]): void
  /** The event store has acknowledged the batch. */
  stored(token: string): void
  /** The batch's deliveries are durable. */
  delivered(token: string): void
  /**
   * The positions (partition → next offset) behind the longest run of batches, from the oldest on, that are both stored
   * and delivered. These batches are then forgotten. Undefined when there is none.
   */
  takeCommittable(): Map<number, number> | undefined
  /** How many batches are begun and not taken. */
  readonly size: number
}

type Batch = { readonly token: string; readonly ranges: readonly Range[]; stored: boolean; delivered: boolean }

/**
 * Decides what may be committed. The guarantee: a position moves only behind both acknowledgements of every batch up to
 * it, and a batch moves as a whole, so that what recovery repeats under one token is exactly what was begun under it.
 * Without I/O; the caller commits what it takes.
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
