import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Logger, Metrics } from '@tributary/kernel'
import type { ConsumerJournal, LogReader } from '@tributary/storage'
import type { DeliverySettings } from '../settings.ts'
import { createOffsetTracker, type OffsetTracker, type OpenOffset } from './offsets.ts'
import { type DeliveryRecord, openRecord } from './record.ts'

/** Where a partition of the deliveries log is read, and what of it is under way. */
export type Place = {
  readonly partition: number
  /** False while another holder has it, or nobody. */
  owned: boolean
  /** How often it was given: what was read before the last time may have been handled by another holder since. */
  given: number
  /** The offset that is read next. */
  next: number
  /** Where the log ended when it was taken up: what waits from there on is of a log that was lost. */
  end: number
  /** Everything below is done and written down. */
  committed: number
  /** What lies below is sent again, since the position was set back. */
  again: number
  readonly tracker: OffsetTracker
}

/** Nothing given, nothing read yet. */
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

/** Reads the deliveries log and offers each record to those it names. */
export type LogReading = {
  /** Reads until `stop`. Never rejects: a log that cannot be read is tried again. */
  run(): Promise<void>
  stop(): void
  /** Looks anew which partitions there are to read. */
  change(): void
  /** True when everything that the log holds of them was read. */
  upToDate(): Promise<boolean>
}

const readBytes = 1024 * 1024
/** How often it is looked whether fewer records are under way, when those are as many as may be, ms. */
const fullMs = 20

/** Reading that has not begun. `offer` gets a record once for each destination that it names. */
export const createLogReading = (deps: {
  reader: LogReader
  journal: Pick<ConsumerJournal, 'saw'>
  places: readonly Place[]
  offer: (destinationId: string, record: DeliveryRecord, entry: OpenOffset, tracker: OffsetTracker) => void
  settings: Pick<DeliverySettings, 'openRecords'>
  logger: Logger
  metrics: Metrics
}): LogReading => {
  const { reader, journal, places, settings, logger, metrics } = deps
  let stopping = false
  /** Ends the wait for news. */
  let waiting = new AbortController()

  /** Reads one piece of a partition; true when there was anything. */
  const readPiece = async (place: Place): Promise<boolean> => {
    const { given } = place
    const records = await reader.read(place.partition, place.next, readBytes, 'addressed')
    // Taken away while the log was read, and given again perhaps.
    if (!place.owned || place.given !== given) return false
    journal.saw(records)
    for (const found of records) {
      // The end of what names nobody.
      if (found.meta === '') {
        place.next = found.offset + 1
        continue
      }
      const entry = place.tracker.begin(found.offset)
      const record = openRecord(found)
      if (record === undefined) {
        logger.error(
          { partition: found.partition, offset: found.offset },
          'A record of the deliveries log has no readable meta',
        )
        metrics.count('delivery_records_unreadable', 1)
        // What producers made is not sent again: an old value never replaces a new one.
      } else if (found.offset >= place.again || record.reference.meta.b === undefined)
        for (const id of record.reference.meta.d) deps.offer(id, record, entry, place.tracker)
      place.next = found.offset + 1
      place.tracker.release(entry)
    }
    return records.length > 0
  }

  const isFull = (): boolean => places.reduce((sum, place) => sum + place.tracker.size(), 0) >= settings.openRecords

  /** One round over all partitions; true when anything was read. */
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
          logger.error({ err: error }, 'The deliveries log cannot be read; it is tried again')
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
