import { freeWhole } from '@tributary/kernel'
import type { ConsumerJournal, LogReader } from '@tributary/storage'
import type { AlreadyStored } from '../../recovery/already-stored.ts'
import type { MicroBatcher } from './micro-batcher.ts'
import type { News } from './news.ts'
import type { StartingPoint } from './start-up.ts'
import { createTurns } from './turns.ts'

export type ReadLoopDeps = StartingPoint & {
  reader: Pick<LogReader, 'ends' | 'read'>
  journal: Pick<ConsumerJournal, 'saw'>
  batcher: MicroBatcher
  news: Pick<News, 'beginRound' | 'wait'>
  alreadyStored: AlreadyStored
  /** Bytes read from a partition in its turn. */
  turnBytes: number
  /** Whether reading of a partition should wait. */
  isFull(partition: number): boolean
  isRunning(): boolean
  /** Called after each round. */
  onRound(): void
}

/** Reads the log in rounds, and waits when a round left nothing to be done, until `isRunning` says no. */
export const readLoop = async (deps: ReadLoopDeps): Promise<void> => {
  const { reader, journal, batcher, news, next, unknownBefore, isFull, isRunning } = deps
  const round = createTurns({
    nextOf: (partition) => next.get(partition) ?? 0,
    isFull,
    isRunning,
    async turn(partition, from) {
      const records = await reader.read(partition, from, deps.turnBytes)
      if (records.length === 0) return false
      journal.saw(records)
      if (from < (unknownBefore[partition] ?? 0))
        batcher.consumeAgain(records, await deps.alreadyStored(partition, records))
      else await batcher.consume(records)
      // Their events are rows and texts of their own by now.
      for (const { body } of records) freeWhole(body)
      return true
    },
  })
  while (isRunning()) {
    news.beginRound()
    const { backPressured, more } = await round(await reader.ends())
    deps.onRound()
    if (backPressured.size > 0 || !more) await news.wait(next, backPressured)
  }
}
