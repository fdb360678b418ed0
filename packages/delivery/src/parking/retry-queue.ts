import { release } from '../log/record.ts'
import { type EventFailure, type InFlightRecord, type Item, replaceRow, rowsOf } from './in-flight-record.ts'
import type { KeyOrder } from './key-order.ts'
import type { NewParkedRow, ParkedRow, ParkingChange } from './parked-row.ts'
import type { ParkingContext } from './parking-context.ts'
import { noLongerHeld } from './range-change.ts'

/** A worker's view of its rows in the database. */
export type WorkerRows = {
  /** Number of waiting rows, including those in memory. */
  waiting: number
  /** When the next row is due, epoch ms; Infinity if none waits. */
  nextDue: number
  /** IDs of the rows whose events are queued or in flight, with the partition of each row. */
  readonly taken: Map<string, number>
  /** Number of changes that are not durable yet. */
  unparked: number
  /** Incremented when another row may wait; earlier look-ups are outdated then. */
  version: number
  /** Incremented when partitions are taken away: another owner may have sent rows of earlier look-ups since. */
  handovers: number
}

/** Parks a worker's events that wait for a retry, and its dead letters. Releases nothing before it is durable. */
export type RetryQueue = {
  readonly rows: WorkerRows
  /**
   * Parks events of a record in flight that came directly from the log. Releases `holds` holds of the record when they
   * are durable.
   */
  park(inFlight: InFlightRecord, failures: readonly EventFailure[], holds: number, now: number): void
  /** Moves queued or in-flight events of a record to a row of their own. Their outcome is then written to that row. */
  takeOver(inFlight: InFlightRecord, items: readonly Item[], now: number): void
  /** Called as `finish` of a record in flight that came from a row, when the outcomes of all its events are known. */
  close(inFlight: InFlightRecord, row: ParkedRow): void
  /** Turns a row into a dead letter, since its record is no longer in the log. */
  lost(row: ParkedRow, now: number): void
}

/** Returns the row as a dead letter, because its record is no longer in the log. */
const lostRow = (row: ParkedRow, now: number): NewParkedRow => ({
  ...row,
  nextTime: now,
  events: row.indexes.length,
  bytes: 0,
  state: 'dead',
  lastStatus: undefined,
  reason: noLongerHeld,
  request: '',
  response: '',
  profiles: undefined,
})

const returned = ({ index, event: { eventId }, profile }: Item): EventFailure => {
  return { index, eventId, decision: { kind: 'returned' }, result: undefined, profile }
}

/** Creates the queue of one lane of a destination; it is empty until its rows are looked up. */
export const createRetryQueue = (
  destinationId: string,
  { parking, metrics, clock }: Pick<ParkingContext, 'parking' | 'metrics' | 'clock'>,
  order: KeyOrder,
): RetryQueue => {
  const nextDue = Number.POSITIVE_INFINITY
  const rows: WorkerRows = { waiting: 0, nextDue, taken: new Map(), unparked: 0, version: 0, handovers: 0 }
  const noteWaiting = (due: number): void => {
    rows.version++
    rows.nextDue = Math.min(rows.nextDue, due)
  }

  const noteDurable = (written: readonly NewParkedRow[]): void => {
    for (const row of written) {
      if (row.state === 'dead') {
        metrics.count('delivery_events_dead', row.events, { reason: 'refused' })
        continue
      }
      rows.waiting++
      noteWaiting(row.nextTime)
    }
  }

  /** Writes a change, then marks the written rows as durable and calls `then`. */
  const write = (change: ParkingChange, then: () => void): void => {
    rows.unparked++
    for (const { id, state, opens = [], nextTime } of change.rows)
      if (state === 'waiting' && opens.length > 0) order.park(id, opens, nextTime)
    parking.push(change, (unwritten) => {
      rows.unparked--
      then()
      // An earlier row has the same events: it is waiting, or is a dead letter and blocks nothing.
      order.lost(unwritten)
      noteDurable(change.rows.filter(({ id }) => !unwritten.has(id)))
    })
  }

  /** Removes a replaced row. */
  const leave = (row: ParkedRow): void => {
    rows.taken.delete(row.id)
    rows.waiting = Math.max(0, rows.waiting - 1)
  }

  const close: RetryQueue['close'] = (inFlight, row) => {
    const change = replaceRow(destinationId, inFlight, row, clock())
    if (change !== undefined) return write(change, () => leave(row))
    const opens = inFlight.failures.flatMap(({ open }) => (open === undefined ? [] : [open]))
    if (opens.length > 0) order.park(row.id, opens, row.nextTime)
    rows.taken.delete(row.id)
    noteWaiting(row.nextTime)
  }

  return {
    rows,
    park: (inFlight, failures, holds, now) =>
      write({ deletes: [], rows: rowsOf(destinationId, inFlight, failures, now) }, () => release(inFlight, holds)),
    takeOver: (inFlight, items, now) => {
      for (const row of rowsOf(destinationId, inFlight, items.map(returned), now)) {
        const takenOver: InFlightRecord = {
          record: inFlight.record,
          row,
          lane: inFlight.lane,
          open: items.length,
          failures: [],
          finish: () => close(takenOver, row),
        }
        for (const item of items) item.inFlight = takenOver
        rows.taken.set(row.id, row.partition)
        write({ deletes: [], rows: [row] }, () => release(inFlight, items.length))
      }
    },
    close,
    lost: (row, now) => {
      order.lost([row.id])
      rows.taken.set(row.id, row.partition)
      write({ deletes: [row.id], rows: [lostRow(row, now)] }, () => leave(row))
    },
  }
}
