import { faultPoint, type Logger, type Metrics } from '@tributary/kernel'
import type { ConsumerJournal, LogReader, LogRecord } from '@tributary/storage'
import type { RetryWrite } from '../retrying.ts'
import { formatOvertaking, isPassedOver, type Overtaking, parseOvertaking } from './overtaking.ts'

/** Maximum number of overtaken workspaces in a partition. */
const maxWorkspaces = 8

/**
 * The partitions that are read twice, because workspaces are overtaken in them. The reading ahead has its own position
 * and ranges in the journal, under its lane: the number of the partition plus the number of all partitions. The
 * position of the partition itself belongs to the reading behind. Every request before that position is stored.
 */
export type Overtakings = {
  /** Loads the overtakings from the journal. Call it before anything is read. */
  load(): void
  /**
   * Returns the overtaking of a partition that is read twice, or whose commits have not yet passed the offset where
   * both readings met.
   */
  of(partition: number): Overtaking | undefined
  /** Returns the partitions that have an overtaking. */
  partitions(): number[]
  /** Returns the lane of the reading ahead of a partition. */
  aheadOf(partition: number): number
  /** Returns the partition of a lane. */
  partitionOf(lane: number): number
  /** Whether the reading with this lane skips a request. */
  isPassedOver(record: Pick<LogRecord, 'partition' | 'offset' | 'key'>, lane: number): boolean
  /**
   * Overtakes `workspaces`: requests of other workspaces are processed first, from the offset `at` of the next record
   * to read. `incarnation` is that of the record before `at`. Durable when it resolves. Changes nothing if the readings
   * ahead and behind have met, or if the maximum number of workspaces is overtaken. Resolves to the newly overtaken
   * workspaces.
   */
  overtake(
    partition: number,
    place: { at: number; incarnation: string },
    workspaces: readonly string[],
  ): Promise<string[]>
  /** Ends the double reading at the offset `until`, which both readings have reached. Durable when it resolves. */
  meet(partition: number, until: number): Promise<void>
  /**
   * Removes the overtaking of a partition. Call it once both readings have committed everything before the offset where
   * they met.
   */
  forget(partition: number): Promise<void>
}

/**
 * Returns the log with two lanes for each partition. The lane of the reading ahead has the same offsets as that of the
 * partition.
 */
export const readerOfLanes = (
  reader: Pick<LogReader, 'partitions' | 'incarnations' | 'starts' | 'ends'>,
): Pick<LogReader, 'partitions' | 'incarnations' | 'starts' | 'ends'> => {
  const twice = (offsets: readonly number[]): number[] => [...offsets, ...offsets]
  return {
    partitions: reader.partitions * 2,
    incarnations: (lane) => reader.incarnations(lane % reader.partitions),
    starts: async () => twice(await reader.starts()),
    ends: async () => twice(await reader.ends()),
  }
}

type OvertakingsDeps = {
  journal: Pick<ConsumerJournal, 'notes' | 'commit' | 'saw'>
  partitions: number
  retryWrite: RetryWrite
  logger: Pick<Logger, 'info'>
  metrics: Pick<Metrics, 'gauge'>
  /** Called with the lane and the first offset of a new reading ahead, once these are durable. */
  onBegin(lane: number, at: number): void
}

/** Keeps the overtakings of all partitions, and stores them in the journal of the consumer. */
export const createOvertakings = (deps: OvertakingsDeps): Overtakings => {
  const { journal, partitions, retryWrite, logger, metrics, onBegin } = deps
  const known = new Map<number, Overtaking>()
  const aheadOf = (partition: number): number => partition + partitions
  const partitionOf = (lane: number): number => lane % partitions

  const count = (): void => {
    let workspaces = 0
    for (const each of known.values()) if (each.until === undefined) workspaces += each.workspaces.size
    metrics.gauge('pipeline_overtaken_workspaces', workspaces)
  }

  const keep = async (
    partition: number,
    next: Overtaking | undefined,
    positions: ReadonlyMap<number, number> = new Map(),
  ): Promise<void> => {
    const notes = new Map([[partition, formatOvertaking(next)]])
    faultPoint('pipeline.overtaking')
    await retryWrite('overtaking', () => journal.commit(positions, notes))
    faultPoint('pipeline.overtaken')
    if (next === undefined) known.delete(partition)
    else known.set(partition, next)
    count()
  }

  return {
    load() {
      for (const [partition, note] of journal.notes()) {
        const overtaking = parseOvertaking(note)
        if (overtaking !== undefined) known.set(partition, overtaking)
      }
      count()
    },
    of: (partition) => known.get(partition),
    partitions: () => [...known.keys()],
    aheadOf,
    partitionOf,
    isPassedOver(record, lane) {
      if (known.size === 0) return false
      const overtaking = known.get(record.partition)
      if (overtaking === undefined) return false
      return isPassedOver(overtaking, record, lane === record.partition ? 'behind' : 'ahead')
    },
    async overtake(partition, { at, incarnation }, workspaces) {
      const now = known.get(partition)
      if (now?.until !== undefined) return []
      const more = workspaces
        .filter((key) => now?.workspaces.has(key) !== true)
        .slice(0, maxWorkspaces - (now?.workspaces.size ?? 0))
      if (more.length === 0) return []
      const all = new Map([...(now?.workspaces ?? []), ...more.map((key) => [key, at] as const)])
      const next = { from: now?.from ?? at, workspaces: all, until: undefined }
      if (now === undefined) {
        // The lane may have been used before. The journal then has another incarnation for it, so the record before
        // `at` is recorded.
        journal.saw([{ partition: aheadOf(partition), offset: at - 1, incarnation }])
        await keep(partition, next, new Map([[aheadOf(partition), at]]))
        onBegin(aheadOf(partition), at)
      } else await keep(partition, next)
      logger.info({ partition, workspaces: more }, 'workspaces send more than is processed; others overtake them')
      return more
    },
    async meet(partition, until) {
      const now = known.get(partition)
      if (now === undefined || now.until !== undefined) return
      await keep(partition, { ...now, until })
      logger.info({ partition }, 'partition is processed in log order again')
    },
    forget: (partition) => keep(partition, undefined),
  }
}
