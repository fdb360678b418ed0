import { type HeldRange, type HeldRanges, isRangeDone } from './held.ts'
import type { LaneState } from './lane-state.ts'
import type { LaneRows } from './outcomes.ts'
import type { ParkedRow } from './parking.ts'
import type { Part } from './parts.ts'
import type { LaneContext } from './ports.ts'
import { type DeliveryRecord, openRecord } from './record.ts'

/** Bytes of the log read at once for a held range. */
const chunkBytes = 256 * 1024
/** Parked rows fetched at once. */
const fetchRows = 200

const byPlace = (a: ParkedRow, b: ParkedRow): number => a.partition - b.partition || a.offset - b.offset

export type Backlog = {
  /** Fills the lane's queue from held ranges, and fetches parked rows that are due. */
  fill(): void
  /** Makes every parked row due, since the destination works again. */
  makeDue(): void
  /** True while something held could be sent now. */
  pending(): boolean
}

export type BacklogDeps = {
  id: string
  context: LaneContext
  held: HeldRanges
  rows: LaneRows
  state: () => LaneState
  /** True while the lane has anything queued or under way. */
  busy: () => boolean
  room: () => boolean
  /** Room for parked rows. */
  rowRoom: () => boolean
  take: (record: DeliveryRecord, row: ParkedRow | undefined, finish: (part: Part) => void) => void
  closeRow: (part: Part, row: ParkedRow) => void
  lostRow: (row: ParkedRow, now: number) => void
  wake: () => void
}

/**
 * Brings back what a lane holds: ranges are read on from where they stand as long as the queue has room; parked rows are
 * fetched when they are due. While probing it brings a single record or row.
 */
export const createBacklog = (deps: BacklogDeps): Backlog => {
  const { id, context, held, rows } = deps
  const { reader, parking, clock, logger, settings } = context
  let fetching = false
  let makingDue = false

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

  /** Reads a piece of a range; false when it brought nothing more for now. */
  const readRange = (range: HeldRange, once: boolean): boolean => {
    const records = reader.read(range.partition, range.cursor, once ? 1 : chunkBytes)
    if (records.length === 0) {
      logger.error(
        { destination: id, partition: range.partition, from: range.cursor, to: range.end },
        'Held records are no longer in the log',
      )
      range.dead = 'The log no longer holds it'
      return true
    }
    for (const found of records) {
      if (found.offset >= range.end) {
        range.cursor = range.end
        break
      }
      if (!deps.room()) return false
      range.cursor = found.offset + 1
      const record = openRecord(found)
      if (record === undefined || !record.reference.meta.d.includes(id)) continue
      const entry = range.tracker.begin(found.offset)
      const { time, bytes, meta } = record.reference
      range.firstTime = time
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
    if (record === undefined) return deps.lostRow(row, clock())
    rows.taken.add(row.id)
    deps.take(record, row, (part) => deps.closeRow(part, row))
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

  const rowsWanted = (): boolean => {
    if (fetching || makingDue || !deps.rowRoom()) return false
    if (rows.taken.size >= settings.rowsInFlight || rows.unparked >= settings.unparked) return false
    if (deps.state() === 'probing') return !deps.busy() && rows.waiting > 0
    return deps.state() === 'flowing' && rows.nextDue <= clock()
  }

  const startFetch = (): void => {
    fetching = true
    fetch()
      .catch((error: unknown) => {
        rows.nextDue = clock() + 1000
        logger.warn({ err: error, destination: id }, 'Parked deliveries cannot be read; it is tried again')
      })
      .finally(() => {
        fetching = false
        deps.wake()
      })
  }

  return {
    fill: () => {
      const state = deps.state()
      if (state !== 'flowing' && state !== 'probing') return
      if (rowsWanted()) startFetch()
      const probing = state === 'probing'
      if (probing && (fetching || rows.waiting > 0)) return
      for (let range = held.next(); range !== undefined && deps.room(); range = held.next()) {
        if (probing && deps.busy()) return
        if (!readRange(range, probing)) return
      }
    },
    makeDue: () => {
      if (rows.waiting === 0) return
      makingDue = true
      const now = clock()
      parking
        .makeDue(id, now)
        .then(() => {
          rows.nextDue = now
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
      const flows = state === 'flowing' || state === 'probing'
      return (
        flows && (held.all().some((range) => !isRangeDone(range)) || rows.taken.size > 0 || rows.nextDue <= clock())
      )
    },
  }
}
