import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { freeWhole, type Metrics } from '@tributary/kernel'
import type { LogReader, LogRecord } from '@tributary/storage'
import type { DeliverBranch } from '../../branches/deliver.ts'
import type { PublishBranch } from '../../branches/publish.ts'
import type { StoreBranch } from '../../branches/store.ts'
import type { Readings } from '../../overtaking/overtakings.ts'
import { type MicroBatch, type Processor, withoutEffects } from '../../process.ts'
import type { AlreadyStored } from '../../recovery/already-stored.ts'
import type { PipelineSettings } from '../../settings.ts'
import type { News } from './news.ts'
import type { StartingPoint } from './start-up.ts'

export type TurnsDeps = {
  /** The next offset to read. */
  nextOf(partition: number): number
  isFull(partition: number): boolean
  /** Processes a bounded number of records of a partition from an offset on. Resolves to true if there was a record. */
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
  /**
   * Runs a round. Resolves to the partitions that were skipped because of back-pressure, and to whether a partition has
   * more records than its turn took.
   */
  return async (ends: readonly number[]) => {
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

/** Returns the minimum rest in ms after a round whose records came within `elapsedMs`. */
export type RestOf = (records: number, elapsedMs: number) => number

/** Creates a `RestOf` that rests longer while many records come at a high rate. */
export const createRestOf =
  ({
    roundMs,
    busyRoundMs,
    busyRecords,
    busyRecordsPerMs,
  }: Pick<PipelineSettings, 'roundMs' | 'busyRoundMs' | 'busyRecords' | 'busyRecordsPerMs'>): RestOf =>
  (records, elapsedMs) =>
    records >= busyRecords && records >= busyRecordsPerMs * elapsedMs ? busyRoundMs : roundMs

export type ReadLoopDeps = StartingPoint & {
  reader: Pick<LogReader, 'ends' | 'read'>
  batcher: MicroBatcher
  news: Pick<News, 'beginRound' | 'wait'>
  alreadyStored: AlreadyStored
  readings: Readings
  /** Bytes read from a partition in its turn. */
  turnBytes: number
  /** Called with the records of a round, and the time from the beginning of the round before it, infinite for the first. */
  restOf: RestOf
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
  /** Number of records that this round has read. */
  let recordsOfRound = 0
  /** When this round and the one before it began. */
  let [began, beganBefore] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]

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
      recordsOfRound += own.length
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
    recordsOfRound = 0
    ;[began, beganBefore] = [performance.now(), began]
    ends = readings.endsOf(await reader.ends())
    const { backPressured, more } = await round(ends)
    await readings.settle()
    deps.onRound()
    if (backPressured.size > 0 || !more)
      await news.wait(readings.places(), backPressured, deps.restOf(recordsOfRound, began - beganBefore))
  }
}

export type MicroBatcherDeps = {
  processor: Pick<Processor, 'add' | 'size' | 'take'>
  /** Number of events of one micro-batch. */
  microBatchEvents: number
  /** Called for each record that went through the steps, with the bytes of its body. */
  onRead(bytes: number): void
  flush(batch: MicroBatch): void
}

export type MicroBatcher = {
  /**
   * Takes records of one turn of a lane through the steps, in micro-batches, and yields to the event loop between them.
   */
  consume(records: readonly LogRecord[], lane?: number): Promise<void>
  /**
   * Takes records that a run with a lost journal may have stored, separately from other records. The message IDs of all
   * these records are added. Records at the `stored` offsets are not stored or delivered again.
   */
  consumeAgain(records: readonly LogRecord[], stored: ReadonlySet<number>, lane?: number): void
}

/** Takes records through the steps and flushes the micro-batches. */
export const createMicroBatcher = ({ processor, microBatchEvents, onRead, flush }: MicroBatcherDeps): MicroBatcher => {
  const add = (record: LogRecord, lane = record.partition): void => {
    processor.add(record, undefined, lane)
    onRead(record.body.byteLength)
  }
  return {
    async consume(records, lane) {
      for (const record of records) {
        add(record, lane)
        if (processor.size().events < microBatchEvents) continue
        flush(processor.take())
        await yieldToEventLoop()
      }
      if (processor.size().records > 0) flush(processor.take())
    },
    consumeAgain(records, stored, lane) {
      let isStored = false
      const end = (): void => {
        if (processor.size().records > 0) flush(isStored ? withoutEffects(processor.take()) : processor.take())
      }
      for (const record of records) {
        if (stored.has(record.offset) !== isStored || processor.size().events >= microBatchEvents) end()
        isStored = stored.has(record.offset)
        add(record, lane)
      }
      end()
    },
  }
}

export type FanOutDeps = {
  publish: Pick<PublishBranch, 'add'>
  deliver: Pick<DeliverBranch, 'add'>
  store: Pick<StoreBranch, 'add'>
  metrics: Pick<Metrics, 'count'>
}

/** Passes a micro-batch to the three branches, which do not wait for each other, and counts its events by status. */
export const createFanOut =
  ({ publish, deliver, store, metrics }: FanOutDeps): ((batch: MicroBatch) => void) =>
  (batch) => {
    for (const [sourceId, events] of batch.live) publish.add(sourceId, events)
    store.add(batch, deliver.add(batch))
    metrics.count('pipeline_events', batch.accepted, { status: 'accepted' })
    if (batch.blocked > 0) metrics.count('pipeline_events', batch.blocked, { status: 'blocked' })
    if (batch.held > 0) metrics.count('pipeline_events', batch.held, { status: 'held' })
    for (const [reason, count] of batch.rejected) {
      metrics.count('pipeline_events', count, { status: 'rejected' })
      metrics.count('pipeline_events_rejected', count, { reason })
    }
  }
