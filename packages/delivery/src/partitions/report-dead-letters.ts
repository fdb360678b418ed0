import type { Logger } from '@tributary/kernel'
import type { LogReader } from '@tributary/storage'
import type { OutcomeLog } from '../log/outcome-log.ts'
import { openRecord } from '../log/record.ts'
import type { ParkedRange } from '../parking/parked-row.ts'
import type { Parking } from '../parking/parking.ts'

/** Maximum number of parked rows per query. */
const rowsAtOnce = 500
/** Maximum number of bytes of the log per read. */
const readBytes = 256 * 1024

type DeadRow = ParkedRange & { reason: string }

/**
 * Reports rows that died without an attempt to their producers: with their destination, beyond a limit, or as a range
 * that was never tried. The log keeps their records until then. A producer may get the same report twice.
 */
export const createDeadLetterReports = (deps: {
  parking: Pick<Parking, 'unreported' | 'reported'>
  reader: Pick<LogReader, 'read'>
  outcomes: OutcomeLog
  logger: Logger
}): { run(): Promise<void> } => {
  const { parking, reader, outcomes, logger } = deps

  /** Adds the outcomes of a dead row or range. Resolves to a function that returns whether all are durable. */
  const push = async (row: DeadRow): Promise<() => boolean> => {
    let open = 0
    for (let offset = row.offset; offset < row.end; ) {
      const records = await reader.read(row.partition, offset, row.end === row.offset + 1 ? 1 : readBytes)
      if (records.length === 0) break
      for (const found of records) {
        offset = found.offset + 1
        if (found.offset >= row.end) break
        const record = openRecord(found)
        const { meta, time, lane } = record?.reference ?? {}
        if (meta?.producer === undefined || time === undefined || !meta.destinationIds.includes(row.destinationId))
          continue
        // Records of the other lane belong to another range.
        if (row.holds !== undefined && row.holds !== lane) continue
        const items = record?.events() ?? []
        const { destinationId, reason } = row
        for (const index of row.indexes.length === 0 ? items.keys() : row.indexes) {
          const recordId = items[index]?.eventId
          if (recordId === undefined) continue
          open++
          outcomes.push(
            meta.producer.name,
            { recordId, destinationId, status: 'dead', reason, time: row.nextTime },
            () => {
              open--
            },
          )
        }
      }
    }
    return () => open === 0
  }

  return {
    run: async () => {
      for (;;) {
        const rows = await parking.unreported(rowsAtOnce)
        if (rows.length === 0) return
        const reported: string[] = []
        for (const row of rows) {
          const isReported = await push(row)
          await outcomes.flush()
          if (isReported()) reported.push(row.id)
        }
        await parking.reported(reported)
        if (reported.length === rows.length) continue
        logger.warn({ rows: rows.length - reported.length }, 'dead rows cannot be reported to producers; trying again')
        return
      }
    },
  }
}
