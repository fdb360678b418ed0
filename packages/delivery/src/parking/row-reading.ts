import type { LogRecord } from '@tributary/storage'
import { type DeliveryRecord, openRecord } from '../log/record.ts'
import type { InFlightRecord } from './in-flight-record.ts'
import type { LaterDeliveries } from './later-deliveries.ts'
import type { ParkedRow } from './parked-row.ts'
import type { ParkingContext } from './parking-context.ts'
import { lookedTogether, type ProfileLook } from './profile-look.ts'
import type { RetryQueue } from './retry-queue.ts'

/** Maximum bytes of records per look-up. */
const pieceBytes = 1024 * 1024

/**
 * Takes the events of parked rows from the log, in the given order, while `may` permits the next row. Resolves to the
 * number of rows taken. A row whose record is gone becomes a dead letter.
 */
export type RowReading = (rows: readonly ParkedRow[], may: (row: ParkedRow) => boolean) => Promise<number>

/** Whether a row was parked from this record, and not from a record of another log at the same offset. */
export const isOf = (record: DeliveryRecord, { indexes, eventIds }: ParkedRow): boolean => {
  const [index = -1] = indexes
  const [eventId] = eventIds
  const found = record.events()?.[index]
  return eventId === undefined || found === undefined || found.eventId === eventId
}

/**
 * Creates the reading of rows. Rows of one record share it, and neighboring rows share a read, since they are often
 * parked together.
 */
export const createRowReading = (deps: {
  context: Pick<ParkingContext, 'reader' | 'clock' | 'owned'>
  retries: RetryQueue
  /** Whether this process would have recorded the delivery of any later change of the row's records. */
  knows: (row: string) => boolean
  later: LaterDeliveries
  profiles: Pick<ProfileLook, 'isNeeded' | 'look'>
  consume: (record: DeliveryRecord, row: ParkedRow | undefined, finish: (inFlight: InFlightRecord) => void) => void
}): RowReading => {
  const { context, retries } = deps

  const takeRow = (row: ParkedRow, record: DeliveryRecord | undefined): void => {
    if (record === undefined || !isOf(record, row)) return retries.lost(row, context.clock())
    retries.rows.taken.set(row.id, row.partition)
    deps.consume(record, row, (inFlight) => retries.close(inFlight, row))
  }

  /** The record of each row; rows of the same record share it. */
  const open = (found: readonly (LogRecord | undefined)[]): (DeliveryRecord | undefined)[] => {
    let last: DeliveryRecord | undefined
    return found.map((each) => {
      const { partition, offset } = last?.reference ?? {}
      if (each === undefined) last = undefined
      else if (each.partition !== partition || each.offset !== offset) last = openRecord(each)
      return last
    })
  }

  return async (rows, may) => {
    let done = 0
    while (done < rows.length) {
      const left = rows.slice(done)
      const together = deps.profiles.isNeeded()
        ? lookedTogether(left.map(({ indexes }) => indexes.length))
        : left.length
      const some = left.slice(0, together)
      const records = open(await context.reader.find(some, pieceBytes))
      const unknown = records.flatMap((record, place) => {
        const row = rows[done + place]
        return record === undefined || row === undefined || deps.knows(row.id) ? [] : [{ record, indexes: row.indexes }]
      })
      await deps.profiles.look(
        records.flatMap((record, place) => {
          const row = rows[done + place]
          return record === undefined || row === undefined ? [] : [{ record, row }]
        }),
      )
      const taken = await deps.later(unknown)
      try {
        for (const record of records) {
          const row = rows[done]
          // The row's partition may have been taken away during the read.
          if (row === undefined || !context.owned.has(row.partition) || !may(row)) return done
          takeRow(row, record)
          done++
        }
      } finally {
        taken()
      }
    }
    return done
  }
}
