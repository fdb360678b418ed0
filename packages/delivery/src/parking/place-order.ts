import type { ParkedRow } from './parked-row.ts'
import type { WorkerRows } from './retry-queue.ts'
import type { SpilledRange, SpilledRanges } from './spilled-ranges.ts'

/** Whether a row comes before the unread part of a range. True if there is no range. */
const isBefore = (row: ParkedRow, range: SpilledRange | undefined): boolean =>
  range === undefined || row.partition !== range.partition || row.offset <= range.cursor

/** Decides what an ordered worker sends next. Does no I/O. */
export type PlaceOrder = {
  /** Sets the first row that waits outside the queue; undefined if none waits. It is valid until rows change. */
  learn(head: ParkedRow | undefined): void
  /** Whether the first row that waits is known. */
  known(): boolean
  /** Returns the first row that waits outside the queue; undefined if there is none or it is unknown. */
  head(): ParkedRow | undefined
  /** Whether a row comes before every spilled range. */
  isNext(row: ParkedRow): boolean
  /** Returns the offset before which a range may be read; undefined if it may not be read now. */
  limit(range: SpilledRange): number | undefined
  /** Called when events left the queue or failed: nothing is next until all of them are durable in a row. */
  settleFirst(): void
  /** Whether every event that left the queue or failed is durable. */
  settled(): boolean
  /** Whether some of these events were not durable at the last check. */
  settling(): boolean
}

/**
 * Gives an ordered worker everything by its place in the log. After a failure it waits until every event that left the
 * queue has its row. Then the lowest place is next, in a row or a range. A row that is not due yet blocks everything
 * behind it.
 */
export const createPlaceOrder = (deps: {
  rows: WorkerRows
  spilled: SpilledRanges
  busy: () => boolean
}): PlaceOrder => {
  const { rows, spilled } = deps
  let settling = false
  let learnt: { version: number; head: ParkedRow | undefined } | undefined
  const known = (): boolean => learnt?.version === rows.version
  const head = (): ParkedRow | undefined => (known() ? learnt?.head : undefined)
  return {
    learn: (first) => {
      learnt = { version: rows.version, head: first }
    },
    known,
    head,
    isNext: (row) => isBefore(row, spilled.next()),
    limit: (range) => {
      if (settling || !known()) return undefined
      const first = head()
      if (first === undefined) return Number.POSITIVE_INFINITY
      return isBefore(first, range) ? undefined : first.offset
    },
    settleFirst: () => {
      settling = true
      rows.version++
    },
    settled: () => {
      if (settling && !deps.busy() && rows.taken.size === 0 && rows.unparked === 0) settling = false
      return !settling
    },
    settling: () => settling,
  }
}
