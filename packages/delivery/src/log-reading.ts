import type { Logger, Metrics } from '@tributary/kernel'
import type { LogReader } from '@tributary/storage'
import { createOffsetTracker, type OffsetTracker, type OpenOffset } from './offsets.ts'
import { type DeliveryRecord, openRecord } from './record.ts'
import type { DeliverySettings } from './settings.ts'

/** Where a partition of the deliveries log is read, and what of it is under way. */
export type Place = {
  readonly partition: number
  /** The offset that is read next. */
  next: number
  /** Everything below is done and written down. */
  committed: number
  readonly tracker: OffsetTracker
}

/** Nothing read yet. */
export const createPlaces = (partitions: number): Place[] =>
  Array.from({ length: partitions }, (_, partition) => ({
    partition,
    next: 0,
    committed: 0,
    tracker: createOffsetTracker(),
  }))

/** Reads the deliveries log and offers each record to those it names. */
export type LogReading = {
  /** Reads until `stop`. Never rejects: a log that cannot be read is tried again. */
  run(): Promise<void>
  /** Looks for new records at once. */
  wake(): void
  stop(): void
  /** True when everything that the log holds was read. */
  upToDate(): boolean
}

const readBytes = 1024 * 1024
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Reading that has not begun. `offer` gets a record once for each destination that it names. */
export const createLogReading = (deps: {
  reader: LogReader
  places: readonly Place[]
  offer: (destinationId: string, record: DeliveryRecord, entry: OpenOffset, tracker: OffsetTracker) => void
  settings: Pick<DeliverySettings, 'openRecords' | 'pollMs'>
  logger: Logger
  metrics: Metrics
}): LogReading => {
  const { reader, places, settings, logger, metrics } = deps
  let stopping = false
  let wakeUp: (() => void) | undefined

  /** Reads one piece of a partition; true when there was anything. */
  const readPiece = (place: Place): boolean => {
    const records = reader.read(place.partition, place.next, readBytes)
    for (const found of records) {
      const entry = place.tracker.begin(found.offset)
      const record = openRecord(found)
      if (record === undefined) {
        logger.error(
          { partition: found.partition, offset: found.offset },
          'A record of the deliveries log has no readable meta',
        )
        metrics.count('delivery_records_unreadable', 1)
      } else for (const id of record.reference.meta.d) deps.offer(id, record, entry, place.tracker)
      place.next = found.offset + 1
      place.tracker.release(entry)
    }
    return records.length > 0
  }

  const underWay = (): number => places.reduce((sum, place) => sum + place.tracker.size(), 0)

  /** One round over all partitions; true when anything was read. */
  const readRound = async (): Promise<boolean> => {
    let read = false
    const ends = reader.ends()
    for (const place of places) {
      if (stopping || underWay() >= settings.openRecords) break
      if (place.next >= (ends[place.partition] ?? 0)) continue
      if (!readPiece(place)) continue
      read = true
      await breathe()
    }
    return read
  }

  const untilWoken = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, settings.pollMs)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    wakeUp = undefined
  }

  return {
    run: async () => {
      while (!stopping) {
        try {
          if (await readRound()) continue
        } catch (error) {
          logger.error({ err: error }, 'The deliveries log cannot be read; it is tried again')
          await pause(500)
        }
        if (!stopping) await untilWoken()
      }
    },
    wake: () => wakeUp?.(),
    stop: () => {
      stopping = true
      wakeUp?.()
    },
    upToDate: () => {
      const ends = reader.ends()
      return places.every((place) => place.next >= (ends[place.partition] ?? 0))
    },
  }
}
