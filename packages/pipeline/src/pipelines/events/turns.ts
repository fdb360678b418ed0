import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** The outcome of a round for the partitions. */
export type Round = {
  /** Partitions with new records that were skipped because of back-pressure. */
  readonly backPressured: ReadonlySet<number>
  /** Whether a partition had more records than its turn took. */
  readonly more: boolean
}

export type TurnsDeps = {
  /** The next offset to read. */
  nextOf(partition: number): number
  isFull(partition: number): boolean
  /** Processes a bounded number of records of a partition from an offset on. Resolves to whether there were any. */
  turn(partition: number, from: number): Promise<boolean>
  isRunning(): boolean
}

/**
 * Gives turns to partitions. In a round, every partition with records before its end in `ends` has one turn, so a flood
 * in one delays another by a turn. The round begins after the partition served last, and skips partitions under
 * back-pressure.
 */
export const createTurns = ({ nextOf, isFull, turn, isRunning }: TurnsDeps) => {
  let served = -1
  return async (ends: readonly number[]): Promise<Round> => {
    const backPressured = new Set<number>()
    let more = false
    const first = served + 1
    for (let step = 0; step < ends.length && isRunning(); step++) {
      const partition = (first + step) % ends.length
      const end = ends[partition] ?? 0
      const from = nextOf(partition)
      if (from >= end) continue
      if (isFull(partition)) {
        backPressured.add(partition)
        continue
      }
      if (!(await turn(partition, from))) continue
      served = partition
      if (nextOf(partition) < end) more = true
      await yieldToEventLoop()
    }
    return { backPressured, more }
  }
}
