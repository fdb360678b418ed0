import type { ConsumerJournal, LogRecord } from '@tributary/storage'
import type { Floods } from './floods.ts'
import type { Overtakings } from './overtakings.ts'

/**
 * The readings of all partitions for the read loop. Each partition has one, or two if some of its workspaces are
 * overtaken. Each reading has a number (its lane), a next offset, and an end.
 */
export type Readings = {
  /** The ends of the readings, by lane, computed from the ends of the log. */
  endsOf(logEnds: readonly number[]): readonly number[]
  partitionOf(lane: number): number
  /** The records that a reading takes from a piece of the log: those before the reading's end. */
  within(lane: number, records: readonly LogRecord[]): readonly LogRecord[]
  /** Records in the journal the records that a reading has reached. */
  saw(lane: number, records: readonly LogRecord[]): void
  /** Whether this reading skips a record. */
  isPassedOver: Overtakings['isPassedOver']
  /**
   * Whether a turn ends after this many bytes read and processed. The reading ahead skips records, and so reads more.
   */
  isTurnDone(lane: number, bytes: { read: number; processed: number }): boolean
  /** Called after a turn: starts to overtake the workspaces that hold the partition up. */
  relieve(lane: number, bytes: ReadonlyMap<string, number>, incarnation: string): Promise<void>
  /** Called after a round: ends the reading ahead of partitions whose readings have reached the same offset. */
  settle(): Promise<void>
  /** The next offsets of the lanes that may have new records. */
  places(): Map<number, number>
}

/** Maximum bytes that the reading ahead skips in a turn to find enough work, in multiples of `turnBytes`. */
const passedTurns = 32

type ReadingsDeps = {
  journal: Pick<ConsumerJournal, 'saw'>
  overtakings: Overtakings
  floods: Floods
  next: Map<number, number>
  /** By partition, the offset before which records may be stored without a journal entry. */
  unknownBefore: readonly number[]
  /** Whether other workspaces may overtake these in a partition. */
  mayOvertake(partition: number, workspaceIds: readonly string[]): boolean
  /** The next offset of each lane; everything before it is stored and committed. */
  committed(): ReadonlyMap<number, number>
  /** Bytes read from a partition in its turn. */
  turnBytes: number
}

/** Creates the readings. The caller keeps `next`, the next offset of each lane, current. */
export const createReadings = (deps: ReadingsDeps): Readings => {
  const { journal, overtakings, next, turnBytes } = deps
  const { aheadOf, partitionOf } = overtakings
  const nextOf = (lane: number): number => next.get(lane) ?? 0
  let ends: readonly number[] = []

  const endsWithAhead = (logEnds: readonly number[], partitions: readonly number[]): number[] => {
    const all = [...logEnds, ...logEnds.map(() => 0)]
    for (const partition of partitions) {
      const until = overtakings.of(partition)?.until
      const end = logEnds[partition] ?? 0
      all[aheadOf(partition)] = until ?? end
      // Both readings have passed the meeting offset. Without one, the reading behind ends where the reading ahead is.
      const hasMet = until !== undefined && nextOf(partition) >= until && nextOf(aheadOf(partition)) >= until
      if (!hasMet) all[partition] = Math.min(until ?? end, nextOf(aheadOf(partition)))
    }
    return all
  }

  return {
    endsOf: (logEnds) => {
      const partitions = overtakings.partitions()
      ends = partitions.length === 0 ? logEnds : endsWithAhead(logEnds, partitions)
      return ends
    },
    partitionOf,
    within: (lane, records) => {
      if (overtakings.of(partitionOf(lane)) === undefined) return records
      return records.filter(({ offset }) => offset < (ends[lane] ?? 0))
    },
    saw: (lane, records) => {
      if (lane === partitionOf(lane)) journal.saw(records)
      else journal.saw(records.map(({ offset, incarnation }) => ({ partition: lane, offset, incarnation })))
    },
    isPassedOver: overtakings.isPassedOver,
    isTurnDone: (lane, { read, processed }) =>
      lane === partitionOf(lane) || processed >= turnBytes || read >= passedTurns * turnBytes,
    relieve: async (lane, bytes, incarnation) => {
      const partition = partitionOf(lane)
      const isRead = overtakings.of(partition) !== undefined
      // In a partition that is read twice, the reading ahead shows which workspaces hold it up.
      if (lane === partition && isRead) return
      const at = nextOf(lane)
      // Records that may already be stored are checked in a single reading only.
      if (at < (deps.unknownBefore[partition] ?? 0)) return
      const workspaces = deps.floods.note(partition, { bytes, at, end: ends[lane] ?? 0, now: performance.now() })
      const overtaken = [...(overtakings.of(partition)?.workspaces.keys() ?? []), ...workspaces]
      if (workspaces.length === 0 || !deps.mayOvertake(partition, overtaken)) return
      if ((await overtakings.overtake(partition, { at, incarnation }, workspaces)).length === 0) return
      deps.floods.forget(partition)
      if (!isRead) next.set(aheadOf(partition), at)
    },
    settle: async () => {
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
    },
    places: () => {
      const all = new Map(next)
      for (const partition of overtakings.partitions()) {
        const ahead = aheadOf(partition)
        // The lane ahead ends where both readings met, and the lane behind waits once it has caught up.
        if (overtakings.of(partition)?.until !== undefined) all.delete(ahead)
        else if (nextOf(partition) >= nextOf(ahead)) all.delete(partition)
      }
      return all
    },
  }
}
