import { fetchRows, type RowFetchDeps } from './due-rows.ts'
import type { ParkedRow } from './parked-row.ts'
import type { PlaceOrder } from './place-order.ts'

/**
 * Fetches the parked rows of an ordered worker, and takes those that are next by their place. The first row that is not
 * becomes the head of the order. If rows change during the query, no more rows are taken, and they are fetched again.
 * Rejects if the database or the log cannot be read.
 */
export const createRowsInOrder =
  ({
    id,
    lane,
    context,
    rows,
    state,
    busy,
    hasCapacity,
    read,
    order,
  }: RowFetchDeps & { order: PlaceOrder }): (() => Promise<void>) =>
  async () => {
    const { parking, clock } = context
    const { version } = rows
    rows.nextDue = Number.POSITIVE_INFINITY
    const { rows: found, more } = await parking.waiting(id, lane, [...rows.taken.keys()], fetchRows, 'place')
    const sends = (): boolean => state() === 'flowing' || state() === 'probing'
    const isCurrent = (): boolean => version === rows.version && !order.settling() && sends()
    const may = (row: ParkedRow): boolean =>
      isCurrent() && order.isNext(row) && hasCapacity() && (state() === 'probing' ? !busy() : row.nextTime <= clock())
    // Only rows that may be taken now are looked up.
    const until = found.findIndex((row) => !may(row))
    const taken = await read(until < 0 ? found : found.slice(0, until), may)
    if (!isCurrent()) {
      rows.nextDue = Math.min(rows.nextDue, clock())
      return
    }
    const head = found[taken]
    const all = !more
    if (head !== undefined || all) order.learn(head)
    if (head !== undefined) rows.nextDue = head.nextTime
    else if (!all) rows.nextDue = clock()
  }
