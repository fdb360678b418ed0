import { freeWhole } from '@tributary/kernel'
import type { LogReader, LogRecord } from '@tributary/storage'
import type { Readings } from '../../overtaking/readings.ts'
import type { AlreadyStored } from '../../recovery/already-stored.ts'
import type { MicroBatcher } from './micro-batcher.ts'
import type { News } from './news.ts'
import type { StartingPoint } from './start-up.ts'
import { createTurns } from './turns.ts'

export type ReadLoopDeps = StartingPoint & {
  reader: Pick<LogReader, 'ends' | 'read'>
  batcher: MicroBatcher
  news: Pick<News, 'beginRound' | 'wait'>
  alreadyStored: AlreadyStored
  readings: Readings
  /** Bytes read from a partition in its turn. */
  turnBytes: number
  /** Whether a reading should wait because of back-pressure. */
  isFull(lane: number): boolean
  isRunning(): boolean
  /** Called after each round. */
  onRound(): void
}

/** Reads the log in rounds until `isRunning` returns false. Waits after a round that left no work. */
export const readLoop = async (deps: ReadLoopDeps): Promise<void> => {
  const { reader, batcher, news, next, unknownBefore, readings, isFull, isRunning } = deps
  const nextOf = (lane: number): number => next.get(lane) ?? 0
  /** Ends of the readings, by lane. */
  let ends: readonly number[] = []

  /**
   * Processes records of a lane. Adds the bytes of records that this lane does not skip to `bytes`, by workspace, and
   * resolves to their sum.
   */
  const take = async (lane: number, from: number, records: readonly LogRecord[], bytes: Map<string, number>) => {
    let own = 0
    const partition = readings.partitionOf(lane)
    readings.saw(lane, records)
    for (const record of records) {
      if (readings.isPassedOver(record, lane)) continue
      own += record.body.byteLength
      bytes.set(record.key, (bytes.get(record.key) ?? 0) + record.body.byteLength)
    }
    if (from < (unknownBefore[partition] ?? 0))
      batcher.consumeAgain(records, await deps.alreadyStored(partition, records), lane)
    else await batcher.consume(records, lane)
    // The events have copied all they need from the bodies.
    for (const { body } of records) freeWhole(body)
    return own
  }

  const turn = async (lane: number, first: number): Promise<boolean> => {
    const bytes = new Map<string, number>()
    let processed = 0
    let read = 0
    let incarnation = ''
    for (let from = first; ; from = nextOf(lane)) {
      const own = readings.within(lane, await reader.read(readings.partitionOf(lane), from, deps.turnBytes))
      if (own.length === 0) return from > first
      incarnation = own.at(-1)?.incarnation ?? incarnation
      read += own.reduce((sum, { body, meta }) => sum + body.byteLength + meta.length, 0)
      processed += await take(lane, from, own, bytes)
      const isDone = readings.isTurnDone(lane, { read, processed })
      if (isDone || nextOf(lane) >= (ends[lane] ?? 0) || isFull(lane) || !isRunning()) break
    }
    await readings.relieve(lane, bytes, incarnation)
    return true
  }

  const round = createTurns({ nextOf, isFull, isRunning, turn })
  while (isRunning()) {
    news.beginRound()
    ends = readings.endsOf(await reader.ends())
    const { backPressured, more } = await round(ends)
    await readings.settle()
    deps.onRound()
    if (backPressured.size > 0 || !more) await news.wait(readings.places(), backPressured)
  }
}
