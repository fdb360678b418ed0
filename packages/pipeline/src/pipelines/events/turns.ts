import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** The outcome of a round for the partitions. */
export type Round = {
  /** Those with news that were passed over for back-pressure. */
  readonly backPressured: ReadonlySet<number>
  /** Whether some had more than their turn. */
  readonly more: boolean
}

export type TurnsDeps = {
  /** The offset to be read next. */
  nextOf(partition: number): number
  isFull(partition: number): boolean
  /** Processes a bounded piece of a partition from an offset on. Resolves to whether there was any. */
  turn(partition: number, from: number): Promise<boolean>
  isRunning(): boolean
}

/**
 * Lets partitions take turns. A round gives one to every partition with news before its end in `ends`, beginning behind
 * the one served last, so that a flood in one delays another by a turn. One under back-pressure is passed over.
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
