import type { Lane } from '../log/record.ts'
import type { ParkedRow } from './parked-row.ts'
import type { Intake, ParkingContext } from './parking-context.ts'
import type { WorkerRows } from './retry-queue.ts'
import type { RowReading } from './row-reading.ts'

/** Maximum number of parked rows per query. */
export const fetchRows = 200

export type RowFetchDeps = {
  id: string
  lane: Lane
  context: Pick<ParkingContext, 'parking' | 'clock' | 'isRead'>
  rows: WorkerRows
  state: () => Intake
  /** Whether items of the worker are queued or in flight. */
  busy: () => boolean
  /** Whether there is capacity for parked rows. */
  hasCapacity: () => boolean
  read: RowReading
}

/** How long a row waits while earlier records of the log are not offered yet, ms. */
const unreadMs = 50

const byPlace = (a: ParkedRow, b: ParkedRow): number => a.partition - b.partition || a.offset - b.offset

/**
 * Fetches due parked rows for an unordered worker, and consumes them while there is capacity. Then it sets when the
 * next row is due. While the worker probes, it fetches a single row, even before it is due, since the requested
 * back-off is over. Rejects if the database or the log cannot be read.
 */
export const createDueRows =
  ({ id, lane, context, rows, state, busy, hasCapacity, read }: RowFetchDeps): (() => Promise<void>) =>
  async () => {
    const { parking, clock } = context
    const { handovers } = rows
    rows.nextDue = Number.POSITIVE_INFINITY
    const limit = state() === 'probing' ? 1 : fetchRows
    const { rows: found, more: mayFindMore } = await parking.waiting(id, lane, [...rows.taken.keys()], limit)
    const isRead = ({ partition, offset }: ParkedRow): boolean => context.isRead(partition, offset)
    const isCurrent = (): boolean => rows.handovers === handovers
    const may = (row: ParkedRow): boolean =>
      isCurrent() &&
      hasCapacity() &&
      isRead(row) &&
      (state() === 'probing' ? !busy() : state() === 'flowing' && row.nextTime <= clock())
    await read(found.filter(may).toSorted(byPlace), may)
    const left = found.filter((row) => !rows.taken.has(row.id))
    const more = mayFindMore || !isCurrent() ? clock() : Number.POSITIVE_INFINITY
    const timeOf = (row: ParkedRow): number => (isRead(row) ? row.nextTime : Math.max(row.nextTime, clock() + unreadMs))
    const next = left.reduce((earliest, row) => Math.min(earliest, timeOf(row)), more)
    rows.nextDue = Math.min(rows.nextDue, next)
  }
