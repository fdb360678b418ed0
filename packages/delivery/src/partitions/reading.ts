import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { beginPiece, faultPoint, type Logger, type Metrics } from '@tributary/kernel'
import type { ConsumerJournal, LogReader } from '@tributary/storage'
import type { DestinationWorker } from '../destination/destination-worker.ts'
import {
  createOffsetTracker,
  type DeliveryRecord,
  type OffsetTracker,
  type OpenOffset,
  openRecord,
} from '../log/record.ts'
import type { Parking } from '../parking/parking.ts'
import type { DeliverySettings } from '../settings.ts'

/** The reading position in one partition of the deliveries log, and the partition's records in flight. */
export type Place = {
  readonly partition: number
  /** Whether this process owns the partition. */
  owned: boolean
  /**
   * How often the partition was given to this process. Since the last time, another owner may have handled records that
   * this process had read before.
   */
  given: number
  /** The next offset to read. */
  next: number
  /**
   * The end of the log when the partition was taken over. Waiting records at or after this offset belong to a lost log.
   */
  end: number
  /** The offset before which every record is finished and recorded. */
  committed: number
  /** The position was reset: records before this offset are sent a second time. */
  again: number
  readonly tracker: OffsetTracker
}

/** Creates places of partitions that are not owned and not read yet. */
export const createPlaces = (partitions: number): Place[] =>
  Array.from({ length: partitions }, (_, partition) => ({
    partition,
    owned: false,
    given: 0,
    next: 0,
    end: 0,
    committed: 0,
    again: 0,
    tracker: createOffsetTracker(),
  }))

/** Reads the deliveries log and offers each record to the destinations it names. */
export type LogReading = {
  /** Reads until `stop`. Never rejects: a failed read is retried. */
  run(): Promise<void>
  stop(): void
  /** Checks again which partitions to read. */
  change(): void
  /** Whether every record of the owned partitions was read. */
  upToDate(): Promise<boolean>
}

/** Maximum bytes of a piece. The other partitions wait meanwhile. */
const readBytes = 256 * 1024
/** Interval in ms at which capacity is checked while the maximum number of records is in flight. */
const fullMs = 20

type LogReadingDeps = {
  reader: LogReader
  journal: Pick<ConsumerJournal, 'saw'>
  places: readonly Place[]
  /** Called with a record once for each destination that it names. */
  offer: (destinationId: string, record: DeliveryRecord, entry: OpenOffset, tracker: OffsetTracker) => void
  settings: Pick<DeliverySettings, 'openRecords'>
  logger: Logger
  metrics: Metrics
}

/** Creates a reading that has not started. */
export const createLogReading = (deps: LogReadingDeps): LogReading => {
  const { reader, journal, places, settings, logger, metrics } = deps
  let stopping = false
  /** Ends the wait for new records. */
  let waiting = new AbortController()

  /**
   * Reads one piece of a partition, and offers its records. Other work of the thread runs meanwhile, after each few ms.
   * Returns true if it had records.
   */
  const readPiece = async (place: Place): Promise<boolean> => {
    const { given } = place
    // The partition may have been taken away during a wait, and given again since.
    const isLost = (): boolean => !place.owned || place.given !== given
    const records = await reader.read(place.partition, place.next, readBytes, 'addressed')
    if (isLost()) return false
    journal.saw(records)
    const piece = beginPiece()
    for (const found of records) {
      if (found !== records[0] && piece.isOver()) {
        // Reading has its own turn in each round, since it brings the events of all workspaces.
        await piece.end(yieldToEventLoop)
        if (isLost() || stopping) return false
      }
      // This record stands for the end of a run of records that name no destination.
      if (found.meta === '') {
        place.next = found.offset + 1
        continue
      }
      const entry = place.tracker.begin(found.offset)
      const record = openRecord(found)
      if (record === undefined) {
        const { partition, offset } = found
        logger.error({ partition, offset }, 'record of the deliveries log has no readable meta')
        metrics.count('delivery_records_unreadable', 1)
        // Changes of producers are not sent again, so that an old value never replaces a new one.
      } else if (found.offset >= place.again || record.reference.meta.producer === undefined)
        for (const id of record.reference.meta.destinationIds) deps.offer(id, record, entry, place.tracker)
      place.next = found.offset + 1
      place.tracker.release(entry)
    }
    return records.length > 0
  }

  const isFull = (): boolean => places.reduce((sum, place) => sum + place.tracker.size(), 0) >= settings.openRecords

  /** Reads one piece of each partition. Returns true if any record was read. */
  const readRound = async (): Promise<boolean> => {
    let read = false
    const ends = await reader.ends()
    for (const place of places) {
      if (stopping || isFull()) break
      if (!place.owned || place.next >= (ends[place.partition] ?? 0)) continue
      if (!(await readPiece(place))) continue
      read = true
      await yieldToEventLoop()
    }
    return read
  }

  const untilNews = (): Promise<void> =>
    reader.wait(
      places.flatMap(({ partition, owned, next }) => (owned ? [{ partition, offset: next }] : [])),
      waiting.signal,
    )

  return {
    run: async () => {
      while (!stopping) {
        waiting = new AbortController()
        try {
          if (!(await readRound())) await (isFull() ? pause(fullMs) : untilNews())
        } catch (error) {
          logger.error({ err: error }, 'deliveries log cannot be read; trying again')
          await pause(500)
        }
      }
    },
    stop: () => {
      stopping = true
      waiting.abort()
    },
    change: () => waiting.abort(),
    upToDate: async () => {
      const ends = await reader.ends()
      return places.every((place) => !place.owned || place.next >= (ends[place.partition] ?? 0))
    },
  }
}

/** Writes held and parked changes, then commits the positions. */
export type Commit = {
  /**
   * Runs one commit at a time. A caller during a commit waits for the next one. With `all`, it also writes ranges that
   * are young enough to stay in memory. Resolves to whether everything could be written; never rejects.
   */
  run(all?: boolean): Promise<boolean>
}

/**
 * Commits for all workers and partitions. A position advances only after everything before it is done or durably held.
 */
export const createCommit = (deps: {
  places: readonly Place[]
  workers: ReadonlyMap<string, DestinationWorker>
  parking: Parking
  journal: ConsumerJournal
  logger: Logger
  metrics: Metrics
}): Commit => {
  const { places, workers, parking, journal, logger, metrics } = deps
  let running: Promise<boolean> | undefined

  const lowestOpen = (place: Place): number => {
    let low = place.tracker.low() ?? place.next
    for (const worker of workers.values())
      for (const { spilled } of worker.lanes) low = Math.min(low, spilled.undurableLow(place.partition) ?? low)
    return low
  }

  const park = async (all: boolean): Promise<void> => {
    const changes = [...workers.values()].map((worker) => worker.ranges(all))
    const extra = {
      deletes: changes.flatMap((item) => item.change.deletes),
      rows: changes.flatMap((item) => item.change.rows),
    }
    const parks = parking.buffered() > 0 || extra.deletes.length > 0 || extra.rows.length > 0
    await parking.flush(extra)
    for (const item of changes) item.apply()
    if (parks) faultPoint('delivery.after-park')
  }

  const move = async (): Promise<void> => {
    const moved = places.filter((place) => lowestOpen(place) > place.committed)
    if (moved.length === 0) return
    faultPoint('delivery.before-commit')
    const positions = new Map(moved.map((place) => [place.partition, lowestOpen(place)]))
    await journal.commit(positions)
    for (const place of moved) place.committed = positions.get(place.partition) ?? place.committed
  }

  const once = async (all: boolean): Promise<boolean> => {
    try {
      await park(all)
      await move()
      return true
    } catch (error) {
      logger.warn({ err: error }, 'delivery positions cannot be committed; trying again')
      metrics.count('delivery_commit_failures', 1)
      return false
    }
  }

  return {
    run: async (all = false) => {
      while (running !== undefined) await running
      running = once(all).finally(() => {
        running = undefined
      })
      return running
    },
  }
}
