import type { ConsumerJournal, LogRecord } from '@tributary/storage'
import type { Floods } from './floods.ts'
import type { Overtakings } from './overtakings.ts'

/**
 * The readings of all partitions for the read loop. A partition has one reading, or two if workspaces are overtaken in
 * it. Each reading has a number (its lane), a next offset, and an end.
 */
export type Readings = {
  /** Computes the ends of the readings, by lane, from the ends of the log. */
  endsOf(logEnds: readonly number[]): readonly number[]
  partitionOf(lane: number): number
  /** Returns those of the records that lie before the end of a reading. */
  within(lane: number, records: readonly LogRecord[]): readonly LogRecord[]
  /** Records in the journal that a reading has reached these records. */
  saw(lane: number, records: readonly LogRecord[]): void
  /** Whether the reading with this lane skips a record. */
  isPassedOver: Overtakings['isPassedOver']
  /**
   * Whether a turn ends after this many bytes read and processed. The reading ahead may read more bytes than it
   * processes, because it skips records.
   */
  isTurnDone(lane: number, bytes: { read: number; processed: number }): boolean
  /**
   * Overtakes the workspaces that delay the partition, if there are any. Call it after each turn. `bytes` has the
   * processed bytes by workspace.
   */
  relieve(lane: number, bytes: ReadonlyMap<string, number>, incarnation: string): Promise<void>
  /**
   * Ends the double reading of partitions whose two readings have reached the same offset, and removes overtakings
   * whose requests are all committed. Call it after each round.
   */
  settle(): Promise<void>
  /** Returns the next offsets of the lanes that may have new records. */
  places(): Map<number, number>
}

/** Maximum number of bytes that the reading ahead reads in a turn to find enough work, in multiples of `turnBytes`. */
const passedTurns = 32

type ReadingsDeps = {
  journal: Pick<ConsumerJournal, 'saw'>
  overtakings: Overtakings
  floods: Floods
  next: Map<number, number>
  /** By partition, the offset before which records may be stored although the journal does not have them. */
  unknownBefore: readonly number[]
  /** Whether other workspaces may overtake these workspaces of a partition. */
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
      // Once both readings have passed the meeting offset, the reading behind follows the log again. Before that, the
      // reading behind ends at the position of the reading ahead.
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
      // In a partition that is read twice, only the reading ahead shows which workspaces delay the others.
      if (lane === partition && isRead) return
      const at = nextOf(lane)
      // Records that may already be stored are compared with the event store, which needs a single reading.
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
        // The reading ahead has ended once both readings have met. Until then, a reading behind that has caught up has
        // nothing to read.
        if (overtakings.of(partition)?.until !== undefined) all.delete(ahead)
        else if (nextOf(partition) >= nextOf(ahead)) all.delete(partition)
      }
      return all
    },
  }
}
