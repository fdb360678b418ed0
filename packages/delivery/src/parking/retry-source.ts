import type { DeliveryRecord, Lane } from '../log/record.ts'
import { createDueRows } from './due-rows.ts'
import type { InFlightRecord } from './in-flight-record.ts'
import type { KeyOrder } from './key-order.ts'
import { createLaterDeliveries } from './later-deliveries.ts'
import type { ParkedRow } from './parked-row.ts'
import type { Intake, ParkingContext } from './parking-context.ts'
import { createPlaceOrder } from './place-order.ts'
import type { ProfileLook } from './profile-look.ts'
import { createRangeReading } from './range-reading.ts'
import type { RetryQueue, WorkerRows } from './retry-queue.ts'
import { createRowReading } from './row-reading.ts'
import { createRowsInOrder } from './rows-in-order.ts'
import { isRangeDone, type SpilledRanges } from './spilled-ranges.ts'

export type RetrySource = {
  /** Fills the worker's queue from spilled ranges, and fetches parked rows that are due. */
  fill(): void
  /** Whether a held delivery is on its way into the queue, or may be brought now. */
  brings(): boolean
  /** Makes every parked row due, since the destination works again. */
  makeDue(): void
  /** Whether a held delivery could be sent now. */
  pending(): boolean
  /** For an ordered worker: whether nothing waits outside the queue, so that a new record may be queued. */
  upToDate(): boolean
  /** For an ordered worker: brings nothing until everything that left the queue or failed is durable in its row. */
  settleFirst(): void
}

export type RetrySourceDeps = {
  id: string
  lane: Lane
  context: ParkingContext
  spilled: SpilledRanges
  retries: RetryQueue
  keyOrder: KeyOrder
  profiles: ProfileLook
  state: () => Intake
  /** True while items of the worker are queued or in flight: in any lane, or in this one. */
  busy: () => boolean
  isLaneBusy: () => boolean
  hasCapacity: () => boolean
  /** Whether spilled ranges may be read now. False while they wait for more records. */
  rangesDue: () => boolean
  /** Whether events wait for the events before them. */
  ordered: () => boolean
  /** Capacity for parked rows. */
  hasRowCapacity: () => boolean
  consume: (record: DeliveryRecord, row: ParkedRow | undefined, finish: (inFlight: InFlightRecord) => void) => void
  wake: () => void
}

/** Makes all parked rows of a worker due. */
const createMakingDue = (
  id: string,
  { parking, clock, logger }: ParkingContext,
  rows: WorkerRows,
  wake: () => void,
) => {
  let underWay = false
  return {
    underWay: () => underWay,
    start: (): void => {
      if (rows.waiting === 0) return
      underWay = true
      const now = clock()
      parking
        .makeDue(id, now)
        .then(() => {
          rows.nextDue = now
          rows.version++
        })
        .catch((error: unknown) => {
          const problem = 'parked deliveries keep their due times; the store cannot be reached'
          logger.warn({ err: error, destination: id }, problem)
        })
        .finally(() => {
          underWay = false
          wake()
        })
    },
  }
}

/**
 * Brings back a worker's held deliveries: reads ranges from their cursor while the queue has capacity, and fetches
 * parked rows that are due. While probing, it brings a single record or row. An ordered worker gets everything by its
 * place in the log.
 */
export const createRetrySource = (deps: RetrySourceDeps): RetrySource => {
  const { id, lane, context, spilled, retries, keyOrder, state, busy, consume, wake } = deps
  const { rows } = retries
  const { clock, logger, settings } = context
  let fetching = false
  /** When a failed query is retried, epoch ms. */
  let askAgain = 0

  const order = createPlaceOrder({ rows, spilled, busy: deps.isLaneBusy })
  const making = createMakingDue(id, context, rows, wake)
  const later = createLaterDeliveries(id, context, keyOrder)
  const read = createRowReading({ context, retries, knows: keyOrder.knows, later, profiles: deps.profiles, consume })
  const fetchDeps = { id, lane, context, rows, state, busy, hasCapacity: deps.hasRowCapacity, read }
  const fetchDue = createDueRows(fetchDeps)
  const fetchInOrder = createRowsInOrder({ ...fetchDeps, order })
  const ranges = createRangeReading({
    ...deps,
    later,
    limit: (range) => {
      if (deps.ordered()) return fetching || making.underWay() ? undefined : order.limit(range)
      // A probe uses a waiting row first.
      return state() === 'probing' && (fetching || rows.waiting > 0) ? undefined : Number.POSITIVE_INFINITY
    },
  })

  const sends = (): boolean => state() === 'flowing' || state() === 'probing'

  const rowsWanted = (): boolean => {
    if (fetching || making.underWay() || !deps.hasRowCapacity()) return false
    if (rows.taken.size >= settings.rowsInFlight || rows.unparked >= settings.unparked) return false
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
        logger.warn({ err: error, destination: id }, 'parked deliveries cannot be read; trying again')
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
    brings: () => sends() && (fetching || ranges.underWay() || ranges.mayRead()),
    makeDue: making.start,
    pending: () => {
      if (fetching || making.underWay() || ranges.underWay()) return true
      if (!sends()) return false
      if (rows.taken.size > 0 || rows.nextDue <= clock()) return true
      const head = deps.ordered() ? order.head() : undefined
      // A row that is not due blocks everything behind it.
      if (head !== undefined && order.isNext(head) && head.nextTime > clock()) return false
      return (
        (deps.rangesDue() && spilled.all().some((range) => !isRangeDone(range))) ||
        (deps.ordered() && (order.settling() || !order.known()))
      )
    },
    upToDate: () => !order.settling() && order.known() && order.head() === undefined && spilled.next() === undefined,
    settleFirst: order.settleFirst,
  }
}
