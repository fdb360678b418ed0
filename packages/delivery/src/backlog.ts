import { type HeldRange, type HeldRanges, isRangeDone } from './held.ts'
import type { LaneState } from './lane-state.ts'
import type { ParkedRow } from './parking.ts'
import type { Part } from './parts.ts'
import type { LaneContext } from './ports.ts'
import { type DeliveryRecord, openRecord } from './record.ts'
import type { RetryQueue } from './retry-queue.ts'

/** Bytes of the log read at once for a held range. */
const chunkBytes = 256 * 1024
/** Parked rows fetched at once. */
const fetchRows = 200

/** How long the lane may be filled at a stretch: what is left out never fills it, and others wait meanwhile. */
const turnMs = 20

const byPlace = (a: ParkedRow, b: ParkedRow): number => a.partition - b.partition || a.offset - b.offset

/** True when a row stands before what is still to be read of a range, or there is no range. */
const isBefore = (row: ParkedRow, range: HeldRange | undefined): boolean =>
  range === undefined || row.partition !== range.partition || row.offset <= range.cursor

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
 * fetched when they are due. While probing it brings a single record or row.
 *
 * A lane in order gets everything by its place in the log. After a failure it first waits until every event that left
 * the queue has its row; then the lowest place comes next, be it a row's or a range's, and a row that is not due yet holds
 * what is behind it.
 */
export const createBacklog = (deps: BacklogDeps): Backlog => {
  const { id, context, held, retries } = deps
  const { rows } = retries
  const { reader, parking, clock, logger, settings } = context
  let fetching = false
  let makingDue = false
  let settling = false
  /** Of a lane in order: the first row that waits outside the queue, as of a version of the rows. */
  let known: { version: number; head: ParkedRow | undefined } | undefined
  /** Epoch ms before which the store is not asked again, since it failed. */
  let askAgain = 0

  /** Looks records up, if the log still has them. Neighbours come from one read, since rows are parked in runs. */
  const createLookup = () => {
    const known = new Map<string, DeliveryRecord | undefined>()
    return (partition: number, offset: number): DeliveryRecord | undefined => {
      const key = `${partition}-${offset}`
      if (!known.has(key)) {
        known.clear()
        for (const found of reader.read(partition, offset, chunkBytes))
          known.set(`${partition}-${found.offset}`, openRecord(found))
      }
      return known.get(key)
    }
  }

  /** Reads a piece of a range, up to a place; false when it brought nothing more for now. */
  const readRange = (range: HeldRange, once: boolean, before = Number.POSITIVE_INFINITY): boolean => {
    const records = reader.read(range.partition, range.cursor, once ? 1 : chunkBytes)
    if (records.length === 0) {
      logger.error(
        { destination: id, partition: range.partition, from: range.cursor, to: range.end },
        'Held records are no longer in the log',
      )
      range.dead = 'No longer in the log'
      return true
    }
    for (const found of records) {
      if (found.offset >= range.end) {
        range.cursor = range.end
        break
      }
      if (found.offset >= before) range.cursor = before
      if (found.offset >= before || !deps.room()) return false
      range.cursor = found.offset + 1
      const record = openRecord(found)
      if (record === undefined || !record.reference.meta.d.includes(id)) continue
      const entry = range.tracker.begin(found.offset)
      const { time, bytes, meta } = record.reference
      range.firstTime = time
      range.unreadEvents -= meta.n
      range.unreadBytes -= bytes
      deps.take(record, undefined, () => {
        range.events -= meta.n
        range.bytes -= bytes
        range.tracker.release(entry)
      })
      if (once) break
    }
    return true
  }

  const takeRow = (row: ParkedRow, lookup: ReturnType<typeof createLookup>): void => {
    const record = lookup(row.partition, row.offset)
    if (record === undefined) return retries.lost(row, clock())
    rows.taken.add(row.id)
    deps.take(record, row, (part) => retries.close(part, row))
  }

  const fetch = async (): Promise<void> => {
    const probing = deps.state() === 'probing'
    rows.nextDue = Number.POSITIVE_INFINITY
    const limit = probing ? 1 : fetchRows
    const found = await parking.waiting(id, [...rows.taken], limit)
    const state = deps.state()
    const now = clock()
    // A probe may take a row early: the rest that the destination asked for is over.
    const may = (row: ParkedRow): boolean =>
      state === 'probing' ? !deps.busy() : state === 'flowing' && row.nextTime <= now
    const lookup = createLookup()
    for (const row of found.filter(may).toSorted(byPlace)) if (deps.rowRoom()) takeRow(row, lookup)
    const left = found.filter((row) => !rows.taken.has(row.id))
    const more = found.length === limit ? now : Number.POSITIVE_INFINITY
    const next = left.reduce((earliest, row) => Math.min(earliest, row.nextTime), more)
    rows.nextDue = Math.min(rows.nextDue, next)
  }

  const headOf = (): ParkedRow | undefined => (known?.version === rows.version ? known.head : undefined)
  const isKnown = (): boolean => known?.version === rows.version

  /** Brings the rows that come next by their place, and remembers the first that does not. */
  const fetchInOrder = async (): Promise<void> => {
    const { version } = rows
    rows.nextDue = Number.POSITIVE_INFINITY
    const found = await parking.waiting(id, [...rows.taken], fetchRows, 'place')
    const state = deps.state()
    // Changed meanwhile: this says nothing about what comes first.
    if (version !== rows.version || settling || (state !== 'flowing' && state !== 'probing')) {
      rows.nextDue = Math.min(rows.nextDue, clock())
      return
    }
    const now = clock()
    const range = held.next()
    const may = (row: ParkedRow): boolean =>
      isBefore(row, range) && deps.rowRoom() && (state === 'probing' ? !deps.busy() : row.nextTime <= now)
    const lookup = createLookup()
    let next = 0
    for (; next < found.length; next++) {
      const row = found[next]
      if (row === undefined || !may(row)) break
      takeRow(row, lookup)
    }
    const head = found[next]
    if (head !== undefined || found.length < fetchRows) known = { version: rows.version, head }
    rows.nextDue = head === undefined ? (found.length < fetchRows ? rows.nextDue : now) : head.nextTime
  }

  const full = (): boolean =>
    !deps.rowRoom() || rows.taken.size >= settings.rowsInFlight || rows.unparked >= settings.unparked

  const rowsWanted = (): boolean => {
    if (fetching || makingDue || full()) return false
    if (deps.ordered()) {
      const head = headOf()
      if (!isKnown()) return clock() >= askAgain
      if (head === undefined || !isBefore(head, held.next())) return false
      return deps.state() === 'probing' ? !deps.busy() : head.nextTime <= clock()
    }
    if (deps.state() === 'probing') return !deps.busy() && rows.waiting > 0
    return deps.state() === 'flowing' && rows.nextDue <= clock()
  }

  const startFetch = (): void => {
    fetching = true
    const fetched = deps.ordered() ? fetchInOrder() : fetch()
    fetched
      .catch((error: unknown) => {
        askAgain = clock() + 1000
        rows.nextDue = askAgain
        logger.warn({ err: error, destination: id }, 'Parked deliveries cannot be read; it is tried again')
      })
      .finally(() => {
        fetching = false
        deps.wake()
      })
  }

  /** True when all that was taken out of the queue or failed is durable. */
  const isSettled = (): boolean => {
    if (settling && !deps.busy() && rows.taken.size === 0 && rows.unparked === 0) settling = false
    return !settling
  }

  const fillFromRanges = (before?: number): void => {
    const probing = deps.state() === 'probing'
    const until = performance.now() + turnMs
    for (let range = held.next(); range !== undefined && deps.room(); range = held.next()) {
      if (!deps.rangesDue() || (probing && deps.busy())) return
      if (!readRange(range, probing, before)) return
      if (performance.now() < until) continue
      setImmediate(deps.wake)
      return
    }
  }

  const fillInOrder = (): void => {
    if (!isSettled()) return
    if (rowsWanted()) startFetch()
    if (fetching || makingDue || !isKnown()) return
    const head = headOf()
    if (head === undefined) fillFromRanges()
    else if (!isBefore(head, held.next())) fillFromRanges(head.offset)
  }

  return {
    fill: () => {
      const state = deps.state()
      if (state !== 'flowing' && state !== 'probing') return
      if (deps.ordered()) return fillInOrder()
      if (rowsWanted()) startFetch()
      if (state === 'probing' && (fetching || rows.waiting > 0)) return
      fillFromRanges()
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
          deps.wake()
        })
    },
    pending: () => {
      if (fetching || makingDue) return true
      const state = deps.state()
      if (state !== 'flowing' && state !== 'probing') return false
      if (rows.taken.size > 0 || rows.nextDue <= clock()) return true
      const head = deps.ordered() ? headOf() : undefined
      // Behind a row that is not due everything waits.
      if (head !== undefined && isBefore(head, held.next()) && head.nextTime > clock()) return false
      return (
        (deps.rangesDue() && held.all().some((range) => !isRangeDone(range))) ||
        (deps.ordered() && (settling || !isKnown()))
      )
    },
    upToDate: () => !settling && isKnown() && headOf() === undefined && held.next() === undefined,
    settleFirst: () => {
      settling = true
      rows.version++
    },
  }
}
