import type { Lane } from '../log/record.ts'
import type { ParkedRow } from './parked-row.ts'
import type { Intake, ParkingContext } from './parking-context.ts'
import type { WorkerRows } from './retry-queue.ts'
import type { RowReading } from './row-reading.ts'

/** Maximum of parked rows per query. */
export const fetchRows = 200

export type RowFetchDeps = {
  id: string
  lane: Lane
  context: Pick<ParkingContext, 'parking' | 'clock' | 'isRead'>
  rows: WorkerRows
  state: () => Intake
  /** True while the worker has anything queued or under way. */
  busy: () => boolean
  /** Room for parked rows. */
  hasCapacity: () => boolean
  read: RowReading
}

/** How long a row waits for earlier records of the log to be offered, ms. */
const unreadMs = 50

const byPlace = (a: ParkedRow, b: ParkedRow): number => a.partition - b.partition || a.offset - b.offset

/**
 * Fetches due parked rows for a worker without an order, and consumes them while there is capacity; then sets when the
 * next one is due. While the worker probes, fetches a single row, even before it is due: the back-off that the
 * destination asked for is over. Rejects when the relational store or the log cannot be read.
 */
export const createDueRows =
  ({ id, lane, context, rows, state, busy, hasCapacity, read }: RowFetchDeps): (() => Promise<void>) =>
  async () => {
    const { parking, clock } = context
    const { handovers } = rows
    rows.nextDue = Number.POSITIVE_INFINITY
    const limit = state() === 'probing' ? 1 : fetchRows
    const found = await parking.waiting(id, lane, [...rows.taken.keys()], limit)
    const isRead = ({ partition, offset }: ParkedRow): boolean => context.isRead(partition, offset)
    const isCurrent = (): boolean => rows.handovers === handovers
    const may = (row: ParkedRow): boolean =>
      isCurrent() &&
      hasCapacity() &&
      isRead(row) &&
      (state() === 'probing' ? !busy() : state() === 'flowing' && row.nextTime <= clock())
    await read(found.filter(may).toSorted(byPlace), may)
    const left = found.filter((row) => !rows.taken.has(row.id))
    const more = found.length === limit || !isCurrent() ? clock() : Number.POSITIVE_INFINITY
    const timeOf = (row: ParkedRow): number => (isRead(row) ? row.nextTime : Math.max(row.nextTime, clock() + unreadMs))
    const next = left.reduce((earliest, row) => Math.min(earliest, timeOf(row)), more)
    rows.nextDue = Math.min(rows.nextDue, next)
  }
