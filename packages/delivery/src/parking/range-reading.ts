import { beginPiece, nextTurn } from '@tributary/kernel'
import type { LogRecord } from '@tributary/storage'
import { type DeliveryRecord, openRecord } from '../log/record.ts'
import type { InFlightRecord } from './in-flight-record.ts'
import type { LaterDeliveries } from './later-deliveries.ts'
import type { ParkedRow } from './parked-row.ts'
import type { Intake, ParkingContext } from './parking-context.ts'
import { lookedTogether, type ProfileLook } from './profile-look.ts'
import { noLongerHeld } from './range-change.ts'
import type { SpilledRange, SpilledRanges } from './spilled-ranges.ts'

/** Maximum bytes per read of a spilled range. */
const pieceBytes = 256 * 1024
/** The same, if profiles are looked up: several look-ups, so that one runs while events are taken. */
const lookedPieceBytes = 512 * 1024
/** Number of look-ups of a piece that run before their events can be taken. */
const looksAhead = 2

/** Opens each record of a piece only once. */
const createOpening = (): ((found: LogRecord) => DeliveryRecord | undefined) => {
  const opened = new Map<number, DeliveryRecord | undefined>()
  return (found) => {
    if (!opened.has(found.offset)) opened.set(found.offset, openRecord(found))
    return opened.get(found.offset)
  }
}
type Opening = ReturnType<typeof createOpening>

export type RangeReading = {
  /** Whether there are records that may be read now. */
  mayRead(): boolean
  /** Starts to read spilled ranges, unless a read is running or nothing may be read. */
  start(): void
  /** Whether a range is being read. */
  underWay(): boolean
}

export type RangeReadingDeps = {
  id: string
  context: Pick<ParkingContext, 'reader' | 'clock' | 'logger' | 'isRead'>
  spilled: SpilledRanges
  state: () => Intake
  /** Whether items of the worker are queued or in flight. */
  busy: () => boolean
  hasCapacity: () => boolean
  /** Whether spilled ranges may be read now. False while they wait for more records. */
  rangesDue: () => boolean
  /** The offset before which the next range may be read now; undefined if it may not be read. */
  limit: (range: SpilledRange) => number | undefined
  later: LaterDeliveries
  profiles: ProfileLook
  consume: (record: DeliveryRecord, row: ParkedRow | undefined, finish: (inFlight: InFlightRecord) => void) => void
  /** Called after each piece, when there may be events to send and more to read. */
  wake: () => void
}

const take = (range: SpilledRange, record: DeliveryRecord, consume: RangeReadingDeps['consume']): void => {
  const { offset, time, bytes, meta } = record.reference
  const entry = range.tracker.begin(offset)
  range.firstTime = time
  range.unreadEvents -= meta.count
  range.unreadBytes -= bytes
  consume(record, undefined, () => {
    range.events -= meta.count
    range.bytes -= bytes
    range.tracker.release(entry)
  })
}

const holds = (id: string, range: SpilledRange, { reference: { meta, lane } }: DeliveryRecord): boolean =>
  meta.destinationIds.includes(id) && (range.holds === undefined || range.holds === lane)

const wantedOf = (id: string, range: SpilledRange, records: readonly LogRecord[], open: Opening) =>
  records.flatMap((found) => {
    const record = open(found)
    const { meta } = record?.reference ?? {}
    if (record === undefined || meta?.producer === undefined || !holds(id, range, record)) return []
    return [{ record, indexes: Array.from({ length: meta.count }, (_, index) => index) }]
  })

/** The range that may be read now, and its maximum offset. */
type NextRange = { range: SpilledRange; before: number }

/** Takes the permitted part of a piece. Returns false if no more may be taken now. */
type TakePiece = (range: SpilledRange, records: readonly LogRecord[], before: number, open: Opening) => boolean

/** Creates the taking of a piece whose profiles are looked up first, if the mappings use profiles. */
const createLookedTaking = (
  deps: Pick<RangeReadingDeps, 'id' | 'profiles'>,
  next: () => NextRange | undefined,
  takePiece: TakePiece,
) => {
  const { id } = deps

  /** The records of a piece whose profiles may be looked up now: the first ones, before one that waits. */
  const profilesWanted = (range: SpilledRange, records: readonly LogRecord[], open: Opening) => {
    if (!deps.profiles.isNeeded()) return []
    const own = records.flatMap((found) => {
      const record = found.offset < range.end ? open(found) : undefined
      return record !== undefined && holds(id, range, record) ? [{ record }] : []
    })
    const until = own.findIndex(({ record }) => deps.profiles.waits(record))
    const ready = until < 0 ? own : own.slice(0, until)
    return ready.slice(0, lookedTogether(ready.map(({ record }) => record.reference.meta.count)))
  }

  /** Takes the records of a piece, and looks up the next profiles meanwhile. Returns false if no more may be taken now. */
  const takeLooked = async (range: SpilledRange, records: readonly LogRecord[], open: Opening): Promise<boolean> => {
    const looks: Promise<void>[] = []
    let unlooked = records
    const lookAhead = (): void => {
      while (looks.length < looksAhead) {
        const wanted = profilesWanted(range, unlooked, open)
        const last = wanted.at(-1)?.record.reference.offset
        if (last === undefined) return
        unlooked = unlooked.filter(({ offset }) => offset > last)
        const look = deps.profiles.look(wanted)
        // If the events are not taken after all, a failure does not matter.
        look.catch(() => {})
        looks.push(look)
      }
    }
    lookAhead()
    for (let left = records; ; left = left.filter(({ offset }) => offset >= range.cursor)) {
      const { cursor } = range
      await looks.shift()
      const now = next()
      // During the look-up, another range may have become the next one, or everything was taken without it.
      if (now?.range !== range || range.cursor !== cursor || (left.length === 0 && records.length > 0)) return true
      lookAhead()
      if (!takePiece(range, left, now.before, open)) return false
      if (looks.length === 0) return true
    }
  }

  return takeLooked
}

/**
 * Reads spilled ranges from their cursor into the worker's queue, one piece at a time, while there is capacity. While
 * the worker probes, it reads a single record. It checks again after each read of the log whether it may continue, and
 * takes every record of a range once.
 */
export const createRangeReading = (deps: RangeReadingDeps): RangeReading => {
  const { id, context } = deps
  let reading = false
  /** When a failed read is retried, epoch ms. */
  let readAgain = 0
  /** The last record that had to wait until its profile is known. */
  let waiting: DeliveryRecord | undefined

  const next = (): NextRange | undefined => {
    const range = deps.spilled.next()
    const state = deps.state()
    if (range === undefined || (state !== 'flowing' && state !== 'probing')) return undefined
    if (!deps.hasCapacity() || !deps.rangesDue() || context.clock() < readAgain) return undefined
    if (state === 'probing' && deps.busy()) return undefined
    // Earlier records were not offered yet, but must be sent first.
    if (range.restored && range.needsReport && !context.isRead(range.partition, range.cursor - 1)) return undefined
    if (waiting?.reference.offset !== range.cursor || waiting.reference.partition !== range.partition)
      waiting = undefined
    if (waiting !== undefined && deps.profiles.waits(waiting)) return undefined
    const before = deps.limit(range)
    return before === undefined ? undefined : { range, before }
  }

  const takePiece: TakePiece = (range, records, before, open) => {
    if (records.length === 0) {
      const lost = { destination: id, partition: range.partition, from: range.cursor, to: range.end }
      context.logger.error(lost, 'held records are no longer in the log')
      range.dead = noLongerHeld
    }
    const once = deps.state() === 'probing'
    for (const found of records) {
      if (found.offset >= range.end) {
        range.cursor = range.end
        return true
      }
      if (found.offset >= before) range.cursor = before
      if (found.offset >= before || !deps.hasCapacity()) return false
      const record = open(found)
      const isOwn = record !== undefined && holds(id, range, record)
      if (isOwn && deps.profiles.waits(record)) {
        range.cursor = found.offset
        waiting = record
        return false
      }
      // The look-up had enough events, profiles read the record meanwhile, or the mappings changed: the next read
      // looks its profile up.
      if (isOwn && deps.profiles.lacks(record)) {
        range.cursor = found.offset
        return true
      }
      range.cursor = found.offset + 1
      if (!isOwn) continue
      take(range, record, deps.consume)
      if (once) return true
    }
    return true
  }

  const takeLooked = createLookedTaking(deps, next, takePiece)

  const readOn = async (): Promise<void> => {
    // Skipped records never fill the worker, and other workers wait meanwhile.
    const piece = beginPiece()
    for (let range = next()?.range; range !== undefined; range = piece.isOver() ? undefined : next()?.range) {
      const { cursor } = range
      const bytes = deps.profiles.isNeeded() ? lookedPieceBytes : pieceBytes
      const records = await context.reader.read(range.partition, cursor, deps.state() === 'probing' ? 1 : bytes)
      const open = createOpening()
      // For a restored or revived range, a later change may already have been delivered.
      const taken = range.restored ? await deps.later(wantedOf(id, range, records, open)) : undefined
      try {
        if (range.cursor === cursor && !(await takeLooked(range, records, open))) return
      } finally {
        taken?.()
      }
    }
  }

  return {
    mayRead: () => next() !== undefined,
    start: () => {
      if (reading || next() === undefined) return
      reading = true
      readOn()
        .catch((error: unknown) => {
          readAgain = context.clock() + 1000
          context.logger.warn({ err: error, destination: id }, 'held records cannot be read; trying again')
        })
        .finally(() => {
          reading = false
          void nextTurn().then(deps.wake)
        })
    },
    underWay: () => reading,
  }
}
