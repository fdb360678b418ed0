import type { LogReader } from '@tributary/storage'
import { openRecord } from '../log/record.ts'
import type { KeyOrder } from './key-order.ts'
import type { ParkedRow } from './parked-row.ts'
import type { Parking } from './parking.ts'
import { isOf } from './row-reading.ts'

/** Maximum number of rows per query, and of log bytes per read. */
const rowsAtOnce = 1000
const pieceBytes = 1024 * 1024

/**
 * Restores the waiting rows of some partitions in the key orders of destinations, so that no later change of the same
 * records is sent before them. Must run before any record of these partitions is offered. Rejects if the database or
 * the log cannot be read.
 */
export const restoreOrder = async (
  deps: {
    parking: Pick<Parking, 'waitingOfProducers'>
    reader: Pick<LogReader, 'find'>
    orderOf: (id: string) => KeyOrder
  },
  partitions: ReadonlySet<number>,
): Promise<void> => {
  let last: ParkedRow | undefined
  for (;;) {
    const rows = await deps.parking.waitingOfProducers(partitions, last, rowsAtOnce)
    for (let done = 0; done < rows.length; ) {
      const found = await deps.reader.find(rows.slice(done), pieceBytes)
      for (const each of found) {
        const row = rows[done++]
        const record = each === undefined ? undefined : openRecord(each)
        if (row === undefined || record?.reference.meta.producer === undefined || !isOf(record, row)) continue
        deps.orderOf(row.destinationId).restore(row.id, record, row.indexes, row.nextTime)
      }
    }
    last = rows.at(-1)
    if (rows.length < rowsAtOnce) return
  }
}
