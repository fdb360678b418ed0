import { freeWhole } from '@tributary/kernel'
import type { ConsumerJournal, LogReader, LogRecord } from '@tributary/storage'
import type { Floods } from '../../overtaking/floods.ts'
import type { Overtakings } from '../../overtaking/overtakings.ts'
import type { AlreadyStored } from '../../recovery/already-stored.ts'
import type { MicroBatcher } from './micro-batcher.ts'
import type { News } from './news.ts'
import type { StartingPoint } from './start-up.ts'
import { createTurns } from './turns.ts'

export type ReadLoopDeps = StartingPoint & {
  reader: Pick<LogReader, 'partitions' | 'ends' | 'read'>
  journal: Pick<ConsumerJournal, 'saw'>
  batcher: MicroBatcher
  news: Pick<News, 'beginRound' | 'wait'>
  alreadyStored: AlreadyStored
  overtakings: Overtakings
  floods: Floods
  /** Whether others may overtake these workspaces of a partition. */
  mayOvertake(partition: number, workspaceIds: readonly string[]): boolean
  /** Next offset per lane that is stored and committed. */
  committed(): ReadonlyMap<number, number>
  /** Bytes read from a partition in its turn. */
  turnBytes: number
  /** Whether a reading of a partition should wait. */
  isFull(lane: number): boolean
  isRunning(): boolean
  /** Called after each round. */
  onRound(): void
}

/** Maximum of bytes that the reading ahead skips in a turn, as a multiple of a turn, to find a full turn of work. */
const passedTurns = 32

/** Reads the log in rounds, and waits when a round left nothing to do, until `isRunning` returns false. */
export const readLoop = async (deps: ReadLoopDeps): Promise<void> => {
  const { reader, journal, batcher, news, next, unknownBefore, overtakings, isFull, isRunning } = deps
  const { aheadOf, partitionOf } = overtakings
  const nextOf = (lane: number): number => next.get(lane) ?? 0
  /** Ends of the readings of partitions, by lane. */
  let ends: readonly number[] = []

  const endsOf = (logEnds: readonly number[]): readonly number[] => {
    const read = overtakings.partitions()
    if (read.length === 0) return logEnds
    const all = [...logEnds, ...logEnds.map(() => 0)]
    for (const partition of read) {
      const until = overtakings.of(partition)?.until
      const end = logEnds[partition] ?? 0
      all[aheadOf(partition)] = until ?? end
      // Both readings are past the meeting place; otherwise the reading behind ends where the one ahead is.
      const hasMet = until !== undefined && nextOf(partition) >= until && nextOf(aheadOf(partition)) >= until
      if (!hasMet) all[partition] = Math.min(until ?? end, nextOf(aheadOf(partition)))
    }
    return all
  }

  /**
   * Processes records of a lane. Adds the bytes of those that this lane does not skip, by workspace, and resolves to
   * their sum.
   */
  const take = async (lane: number, from: number, records: readonly LogRecord[], bytes: Map<string, number>) => {
    let own = 0
    const partition = partitionOf(lane)
    if (lane === partition) journal.saw(records)
    else journal.saw(records.map(({ offset, incarnation }) => ({ partition: lane, offset, incarnation })))
    for (const record of records) {
      if (overtakings.isPassedOver(record, lane)) continue
      own += record.body.byteLength
      bytes.set(record.key, (bytes.get(record.key) ?? 0) + record.body.byteLength)
    }
    if (from < (unknownBefore[partition] ?? 0))
      batcher.consumeAgain(records, await deps.alreadyStored(partition, records), lane)
    else await batcher.consume(records, lane)
    // Their events are rows and texts of their own by now.
    for (const { body } of records) freeWhole(body)
    return own
  }

  /** Lets others overtake the workspaces that hold a partition up. */
  const relieve = async (partition: number, bytes: ReadonlyMap<string, number>, incarnation: string): Promise<void> => {
    const isRead = overtakings.of(partition) !== undefined
    const lane = isRead ? aheadOf(partition) : partition
    const at = nextOf(lane)
    // Two readings cannot distinguish records that may already be stored.
    if (at < (unknownBefore[partition] ?? 0)) return
    const workspaces = deps.floods.note(partition, { bytes, at, end: ends[lane] ?? 0, now: performance.now() })
    const overtaken = [...(overtakings.of(partition)?.workspaces.keys() ?? []), ...workspaces]
    if (workspaces.length === 0 || !deps.mayOvertake(partition, overtaken)) return
    if ((await overtakings.overtake(partition, { at, incarnation }, workspaces)).length === 0) return
    deps.floods.forget(partition)
    if (!isRead) next.set(aheadOf(partition), at)
  }

  const turn = async (lane: number, first: number): Promise<boolean> => {
    const partition = partitionOf(lane)
    const end = ends[lane] ?? 0
    const bytes = new Map<string, number>()
    let processed = 0
    let read = 0
    let incarnation = ''
    for (let from = first; ; from = nextOf(lane)) {
      const records = await reader.read(partition, from, deps.turnBytes)
      const own = overtakings.of(partition) === undefined ? records : records.filter(({ offset }) => offset < end)
      if (own.length === 0) return from > first
      incarnation = own.at(-1)?.incarnation ?? incarnation
      read += own.reduce((sum, { body, meta }) => sum + body.byteLength + meta.length, 0)
      processed += await take(lane, from, own, bytes)
      const isDone = lane === partition || processed >= deps.turnBytes || read >= passedTurns * deps.turnBytes
      if (isDone || nextOf(lane) >= end || isFull(lane) || !isRunning()) break
    }
    if (lane !== partition || overtakings.of(partition) === undefined) await relieve(partition, bytes, incarnation)
    return true
  }

  /** Ends the reading ahead of partitions whose readings are at one place. */
  const settle = async (): Promise<void> => {
    for (const partition of overtakings.partitions()) {
      const { from = 0, until } = overtakings.of(partition) ?? {}
      const at = nextOf(partition)
      if (until === undefined) {
        if (at > from && at >= nextOf(aheadOf(partition))) await overtakings.meet(partition, at)
      } else if ([partition, aheadOf(partition)].every((lane) => (deps.committed().get(lane) ?? 0) >= until)) {
        await overtakings.forget(partition)
        next.delete(aheadOf(partition))
      }
    }
  }

  /**
   * The lanes that may have new records. The lane ahead ends where both readings met, and the lane behind waits once it
   * has caught up.
   */
  const places = (): Map<number, number> => {
    const all = new Map(next)
    for (const partition of overtakings.partitions()) {
      const ahead = aheadOf(partition)
      if (overtakings.of(partition)?.until !== undefined) all.delete(ahead)
      else if (nextOf(partition) >= nextOf(ahead)) all.delete(partition)
    }
    return all
  }

  const round = createTurns({ nextOf, isFull, isRunning, turn })
  while (isRunning()) {
    news.beginRound()
    ends = endsOf(await reader.ends())
    const { backPressured, more } = await round(ends)
    await settle()
    deps.onRound()
    if (backPressured.size > 0 || !more) await news.wait(places(), backPressured)
  }
}
