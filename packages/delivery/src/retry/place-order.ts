import type { ParkedRow } from './parking.ts'
import type { WorkerRows } from './retry-queue.ts'
import type { SpilledRange, SpilledRanges } from './spilled-ranges.ts'

/** True when a row stands before what is still to be read of a range, or there is no range. */
const isBefore = (row: ParkedRow, range: SpilledRange | undefined): boolean =>
  range === undefined || row.partition !== range.partition || row.offset <= range.cursor

/** What comes next in a worker in order. Reads nothing. */
export type PlaceOrder = {
  /** The first row that waits outside the queue (or none), as the store said while the rows were of a version. */
  learn(head: ParkedRow | undefined): void
  /** False while nobody knows which row comes first. */
  known(): boolean
  /** The first row that waits outside the queue; undefined where none does or nobody knows. */
  head(): ParkedRow | undefined
  /** True when a row comes before every spilled range. */
  isNext(row: ParkedRow): boolean
  /** The offset before which a range may be read; undefined while it may not. */
  limit(range: SpilledRange): number | undefined
  /** Something left the queue or failed: nothing comes next before all of that is durable in its row. */
  settleFirst(): void
  /** True when all that was taken out of the queue or failed is durable. */
  settled(): boolean
  /** True while that is still waited for, as of the last look. */
  settling(): boolean
}

/**
 * A worker in order gets everything by its place in the log. After a failure it first waits until every event that left the
 * queue has its row; then the lowest place comes next, be it a row's or a range's, and a row that is not due yet holds what
 * is behind it.
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
