import type { NewParkedRow, ParkedRow, ParkingChange } from './parking.ts'
import { type Fate, type Item, type Part, releasePart, replaceRow, rowsOf } from './parts.ts'
import type { LaneContext } from './ports.ts'
import { noLongerHeld } from './range-change.ts'

/** What a lane knows of its rows in the relational store. */
export type LaneRows = {
  /** Waiting rows, those in memory included. */
  waiting: number
  /** Epoch ms when the next one is due; Infinity when none waits. */
  nextDue: number
  /** Rows whose events are queued or under way, and their partitions. */
  readonly taken: Map<string, number>
  /** Changes that are not durable yet. */
  unparked: number
  /** Grows whenever a row may wait that did not before: what was looked up earlier is out of date then. */
  version: number
}

/** What a lane parks: events that wait for another try, and its dead letters. Nothing is let go before it is durable. */
export type RetryQueue = {
  readonly rows: LaneRows
  /** Parks fates of a part straight from the log; `holds` of the part end when they are durable. */
  park(part: Part, fates: readonly Fate[], holds: number, now: number): void
  /** Gives the events of a part that are queued or under way a row of their own, whose fate is then written to it. */
  adopt(part: Part, items: readonly Item[], now: number): void
  /** Called as `finish` of a part that came from a row, when the fates of all its events are known. */
  close(part: Part, row: ParkedRow): void
  /** Makes a dead letter of a row whose record is no longer in the log. */
  lost(row: ParkedRow, now: number): void
}

/** Of one destination; empty until its rows were looked up. */
export const createRetryQueue = (
  destinationId: string,
  { parking, metrics, clock }: Pick<LaneContext, 'parking' | 'metrics' | 'clock'>,
): RetryQueue => {
  const rows: LaneRows = { waiting: 0, nextDue: Number.POSITIVE_INFINITY, taken: new Map(), unparked: 0, version: 0 }

  const noteDurable = (written: readonly NewParkedRow[]): void => {
    for (const row of written) {
      if (row.state === 'dead') {
        metrics.count('delivery_events_dead', row.events, { reason: 'refused' })
        continue
      }
      rows.waiting++
      rows.version++
      rows.nextDue = Math.min(rows.nextDue, row.nextTime)
    }
  }

  /** Writes a change; afterwards what was written is known, and `then` is called. */
  const write = (change: ParkingChange, then: () => void): void => {
    rows.unparked++
    parking.push(change, () => {
      rows.unparked--
      then()
      noteDurable(change.rows)
    })
  }

  /** The row has left: what replaces it was written. */
  const leave = (row: ParkedRow): void => {
    rows.taken.delete(row.id)
    rows.waiting = Math.max(0, rows.waiting - 1)
  }

  const close: RetryQueue['close'] = (part, row) => {
    const change = replaceRow(destinationId, part, row, clock())
    if (change !== undefined) return write(change, () => leave(row))
    rows.taken.delete(row.id)
    rows.version++
    rows.nextDue = Math.min(rows.nextDue, row.nextTime)
  }

  return {
    rows,
    park: (part, fates, holds, now) =>
      write({ deletes: [], rows: rowsOf(destinationId, part, fates, now) }, () => releasePart(part, holds)),
    adopt: (part, items, now) => {
      const fates = items.map(({ index, event }) => ({
        index,
        eventId: event.eventId,
        decision: { kind: 'returned' as const },
        result: undefined,
      }))
      for (const row of rowsOf(destinationId, part, fates, now)) {
        const adopted: Part = {
          record: part.record,
          row,
          open: items.length,
          fates: [],
          finish: () => close(adopted, row),
        }
        for (const item of items) item.part = adopted
        rows.taken.set(row.id, row.partition)
        write({ deletes: [], rows: [row] }, () => releasePart(part, items.length))
      }
    },
    close,
    lost: (row, now) => {
      rows.taken.set(row.id, row.partition)
      const dead: NewParkedRow = {
        ...row,
        nextTime: now,
        events: row.indexes.length,
        bytes: 0,
        state: 'dead',
        lastStatus: undefined,
        reason: noLongerHeld,
        request: '',
        response: '',
      }
      write({ deletes: [row.id], rows: [dead] }, () => leave(row))
    },
  }
}
