import { faultPoint, isJsonObject, type Logger, type Metrics } from '@tributary/kernel'
import type { ConsumerJournal, LogReader, LogRecord } from '@tributary/storage'
import type { RetryWrite } from '../retrying.ts'
import type { Floods } from './floods.ts'

/**
 * The overtaken workspaces of a partition: their requests wait while requests of other workspaces are processed first.
 * From the offset `from` on, the partition is read twice. The reading ahead skips the requests of the overtaken
 * workspaces, and the reading behind processes only those requests. The double reading ends at the offset `until`.
 */
export type Overtaking = {
  readonly from: number
  /** Overtaken workspaces, each with the offset from which it is overtaken. */
  readonly workspaces: ReadonlyMap<string, number>
  /** The offset at which the double reading ends; undefined until both readings have met. */
  readonly until: number | undefined
}

type Place = { readonly offset: number; readonly key: string }

/** Whether a request belongs to an overtaken workspace. */
export const isOvertaken = ({ workspaces }: Pick<Overtaking, 'workspaces'>, { offset, key }: Place): boolean =>
  offset >= (workspaces.get(key) ?? Number.POSITIVE_INFINITY)

/**
 * Whether a reading of a partition skips a request. Requests before and after the double reading are processed by the
 * reading behind.
 */
export const isPassedOver = (overtaking: Overtaking, request: Place, reading: 'ahead' | 'behind'): boolean => {
  const { from, until = Number.POSITIVE_INFINITY } = overtaking
  if (request.offset < from || request.offset >= until) return reading === 'ahead'
  return isOvertaken(overtaking, request) === (reading === 'ahead')
}

/** Returns the text of an overtaking, which is stored next to the position of the partition; '' for undefined. */
export const formatOvertaking = (overtaking: Overtaking | undefined): string =>
  overtaking === undefined
    ? ''
    : JSON.stringify({ ...overtaking, workspaces: Object.fromEntries(overtaking.workspaces) })

/** Parses the text of `formatOvertaking`; returns undefined for ''. Throws if the text is no overtaking. */
export const parseOvertaking = (text: string): Overtaking | undefined => {
  if (text === '') return undefined
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value) || !isJsonObject(value.workspaces) || typeof value.from !== 'number')
    throw new Error('What is kept of a partition says nothing of workspaces that are overtaken')
  const workspaces = new Map(Object.entries(value.workspaces).map(([key, offset]) => [key, Number(offset)]))
  return { from: value.from, workspaces, until: typeof value.until === 'number' ? value.until : undefined }
}

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
