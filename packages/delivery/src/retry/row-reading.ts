import { type DeliveryRecord, openRecord } from '../log/record.ts'
import type { WorkerContext } from '../ports.ts'
import type { InFlightRecord } from '../worker/in-flight-record.ts'
import type { ParkedRow } from './parking.ts'
import type { RetryQueue } from './retry-queue.ts'

/** Bytes of records that are looked up at once. */
const pieceBytes = 1024 * 1024

/**
 * Takes the events of parked rows out of the log, row by row in the order given, as long as `may` says so of the one that
 * comes next; resolves to how many rows that were. A row whose record is gone becomes a dead letter.
 */
export type RowReading = (rows: readonly ParkedRow[], may: (row: ParkedRow) => boolean) => Promise<number>

/** Whether a record is the one that a row was parked from, and not one of a log that gave the same place again. */
const isOf = (record: DeliveryRecord, { indexes, eventIds }: ParkedRow): boolean => {
  const [index = -1] = indexes
  const [eventId] = eventIds
  const found = record.events()?.[index]
  return eventId === undefined || found === undefined || found.eventId === eventId
}

/** Rows of one record share it, and rows of neighbours a read, since they are parked in runs. */
export const createRowReading = (deps: {
  context: Pick<WorkerContext, 'reader' | 'clock' | 'owned'>
  retries: RetryQueue
  consume: (record: DeliveryRecord, row: ParkedRow | undefined, finish: (inFlight: InFlightRecord) => void) => void
}): RowReading => {
  const { context, retries } = deps

  const takeRow = (row: ParkedRow, record: DeliveryRecord | undefined): void => {
    if (record === undefined || !isOf(record, row)) return retries.lost(row, context.clock())
    retries.rows.taken.set(row.id, row.partition)
    deps.consume(record, row, (inFlight) => retries.close(inFlight, row))
  }

  return async (rows, may) => {
    let done = 0
    let last: DeliveryRecord | undefined
    while (done < rows.length) {
      const found = await context.reader.find(rows.slice(done), pieceBytes)
      for (const each of found) {
        const row = rows[done]
        // Its partition may have been taken away while the log was read.
        if (row === undefined || !context.owned.has(row.partition) || !may(row)) return done
        const { partition, offset } = last?.reference ?? {}
        if (each === undefined) last = undefined
        else if (each.partition !== partition || each.offset !== offset) last = openRecord(each)
        takeRow(row, last)
        done++
      }
    }
    return done
  }
}
