import { faultPoint, type Logger, type Metrics } from '@tributary/kernel'
import type { ConsumerJournal, LogReader, LogRecord } from '@tributary/storage'
import type { RetryWrite } from '../retrying.ts'
import { formatOvertaking, isPassedOver, type Overtaking, parseOvertaking } from './overtaking.ts'

/** Workspaces that are overtaken in a partition at once. */
const mostWorkspaces = 8

/**
 * Partitions that are read twice. The reading ahead has a position and ranges of its own in the journal, under the number of the partition plus
 * the number of all (a lane); the position of the partition itself is that of the reading behind: all before it is stored, as ever.
 */
export type Overtakings = {
  /** Takes over what the journal has. To be called before anything is read. */
  load(): void
  /** Of a partition that is read twice, or was and is not committed beyond the place where both readings met. */
  of(partition: number): Overtaking | undefined
  /** Partitions of which there is one. */
  partitions(): number[]
  /** The number of the reading ahead of a partition. */
  aheadOf(partition: number): number
  /** The partition of a reading, whichever it is. */
  partitionOf(lane: number): number
  /** Whether a request is not for this reading of its partition. */
  isPassedOver(record: Pick<LogRecord, 'partition' | 'offset' | 'key'>, lane: number): boolean
  /**
   * From the offset `at` on, which is the next one to be read, behind a record of that incarnation, workspaces of a partition are overtaken; durable when it resolves. Nothing changes
   * where both readings are about to meet, or too many are overtaken. Resolves to those that are overtaken now and were not.
   */
  overtake(
    partition: number,
    place: { at: number; incarnation: string },
    workspaces: readonly string[],
  ): Promise<string[]>
  /** Both readings are at `until`: from there on there is one. Durable when it resolves. */
  meet(partition: number, until: number): Promise<void>
  /** Nothing is open any more before the place where both readings met. */
  forget(partition: number): Promise<void>
}

/** The log as a consumer with two readings of a partition has places in it: the reading ahead of a partition is one more of the same. */
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

/** Keeps which workspaces are overtaken, in the journal of who reads. */
export const createOvertakings = ({
  journal,
  partitions,
  retryWrite,
  logger,
  metrics,
  onBegin,
}: {
  journal: Pick<ConsumerJournal, 'notes' | 'commit' | 'saw'>
  partitions: number
  retryWrite: RetryWrite
  logger: Pick<Logger, 'info'>
  metrics: Pick<Metrics, 'gauge'>
  /** Told where the reading ahead begins, when that is durable. */
  onBegin(lane: number, at: number): void
}): Overtakings => {
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
    await retryWrite(
      'overtaking',
      () => journal.commit(positions, notes),
      () => true,
    )
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
        .slice(0, mostWorkspaces - (now?.workspaces.size ?? 0))
      if (more.length === 0) return []
      const all = new Map([...(now?.workspaces ?? []), ...more.map((key) => [key, at] as const)])
      const next = { from: now?.from ?? at, workspaces: all, until: undefined }
      if (now === undefined) {
        // What the lane was before says nothing of the record before this place.
        journal.saw([{ partition: aheadOf(partition), offset: at - 1, incarnation }])
        await keep(partition, next, new Map([[aheadOf(partition), at]]))
        onBegin(aheadOf(partition), at)
      } else await keep(partition, next)
      logger.info({ partition, workspaces: more }, 'Workspaces send more than is processed: others go before them')
      return more
    },
    async meet(partition, until) {
      const now = known.get(partition)
      if (now === undefined || now.until !== undefined) return
      await keep(partition, { ...now, until })
      logger.info({ partition }, 'All of a partition is processed in its order again')
    },
    forget: (partition) => keep(partition, undefined),
  }
}
