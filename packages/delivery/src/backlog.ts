import { createDueRows } from './due-rows.ts'
import { type HeldRanges, isRangeDone } from './held.ts'
import type { LaneState } from './lane-state.ts'
import type { ParkedRow } from './parking.ts'
import type { Part } from './parts.ts'
import { createPlaceOrder } from './place-order.ts'
import type { LaneContext } from './ports.ts'
import { createRangeReading } from './range-reading.ts'
import type { DeliveryRecord } from './record.ts'
import type { RetryQueue } from './retry-queue.ts'
import { createRowReading } from './row-reading.ts'
import { createRowsInOrder } from './rows-in-order.ts'

export type Backlog = {
  /** Fills the lane's queue from held ranges, and fetches parked rows that are due. */
  fill(): void
  /** Makes every parked row due, since the destination works again. */
  makeDue(): void
  /** True while something held could be sent now. */
  pending(): boolean
  /** For a lane in order: nothing waits anywhere but in the queue, so that a new record may follow. */
  upToDate(): boolean
  /** For a lane in order: brings nothing before all that was taken out or failed is durable in its row. */
  settleFirst(): void
}

export type BacklogDeps = {
  id: string
  context: LaneContext
  held: HeldRanges
  retries: RetryQueue
  state: () => LaneState
  /** True while the lane has anything queued or under way. */
  busy: () => boolean
  room: () => boolean
  /** False while held ranges wait to be more. */
  rangesDue: () => boolean
  /** What is behind an event waits for it. */
  ordered: () => boolean
  /** Room for parked rows. */
  rowRoom: () => boolean
  take: (record: DeliveryRecord, row: ParkedRow | undefined, finish: (part: Part) => void) => void
  wake: () => void
}

/**
 * Brings back what a lane holds: ranges are read on from where they stand as long as the queue has room; parked rows are
 * fetched when they are due. While probing it brings a single record or row. A lane in order gets everything by its place
 * in the log.
 */
export const createBacklog = (deps: BacklogDeps): Backlog => {
  const { id, context, held, retries, state, busy, take, wake } = deps
  const { rows } = retries
  const { parking, clock, logger, settings } = context
  let fetching = false
  let makingDue = false
  /** Epoch ms before which the store is not asked again, since it failed. */
  let askAgain = 0

  const order = createPlaceOrder({ rows, held, busy })
  const read = createRowReading({ context, retries, take })
  const fetchDeps = { id, context, rows, state, busy, room: deps.rowRoom, read }
  const fetchDue = createDueRows(fetchDeps)
  const fetchInOrder = createRowsInOrder({ ...fetchDeps, order })
  const ranges = createRangeReading({
    ...deps,
    limit: (range) => {
      if (deps.ordered()) return fetching || makingDue ? undefined : order.limit(range)
      // What is probed is a row, where one waits.
      return state() === 'probing' && (fetching || rows.waiting > 0) ? undefined : Number.POSITIVE_INFINITY
    },
  })

  const sends = (): boolean => state() === 'flowing' || state() === 'probing'

  const full = (): boolean =>
    !deps.rowRoom() || rows.taken.size >= settings.rowsInFlight || rows.unparked >= settings.unparked

  const rowsWanted = (): boolean => {
    if (fetching || makingDue || full()) return false
    if (deps.ordered()) {
      if (!order.known()) return clock() >= askAgain
      const head = order.head()
      if (head === undefined || !order.isNext(head)) return false
      return state() === 'probing' ? !busy() : head.nextTime <= clock()
    }
    if (state() === 'probing') return !busy() && rows.waiting > 0
    return state() === 'flowing' && rows.nextDue <= clock()
  }

  const startFetch = (): void => {
    fetching = true
    const fetched = deps.ordered() ? fetchInOrder() : fetchDue()
    fetched
      .catch((error: unknown) => {
        askAgain = clock() + 1000
        rows.nextDue = askAgain
        logger.warn({ err: error, destination: id }, 'Parked deliveries cannot be read; it is tried again')
      })
      .finally(() => {
        fetching = false
        wake()
      })
  }

  return {
    fill: () => {
      if (!sends() || (deps.ordered() && !order.settled())) return
      if (rowsWanted()) startFetch()
      ranges.start()
    },
    makeDue: () => {
      if (rows.waiting === 0) return
      makingDue = true
      const now = clock()
      parking
        .makeDue(id, now)
        .then(() => {
          rows.nextDue = now
          rows.version++
        })
        .catch((error: unknown) => {
          logger.warn(
            { err: error, destination: id },
            'Parked deliveries keep their times: the store cannot be reached',
          )
        })
        .finally(() => {
          makingDue = false
          wake()
        })
    },
    pending: () => {
      if (fetching || makingDue || ranges.underWay()) return true
      if (!sends()) return false
      if (rows.taken.size > 0 || rows.nextDue <= clock()) return true
      const head = deps.ordered() ? order.head() : undefined
      // Behind a row that is not due everything waits.
      if (head !== undefined && order.isNext(head) && head.nextTime > clock()) return false
      return (
        (deps.rangesDue() && held.all().some((range) => !isRangeDone(range))) ||
        (deps.ordered() && (order.settling() || !order.known()))
      )
    },
    upToDate: () => !order.settling() && order.known() && order.head() === undefined && held.next() === undefined,
    settleFirst: order.settleFirst,
  }
}
