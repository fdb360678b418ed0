import type { Metrics } from '@tributary/kernel'
import { createOffsetTracker, type Lane } from '../log/record.ts'
import type { DeliverySettings } from '../settings.ts'
import type { NewParkedRow, ParkedRange, ParkingChange } from './parked-row.ts'
import { isRangeDone, rangeLow, type SpilledRange, type SpilledRanges } from './spilled-ranges.ts'

/** A change to write; `apply` is called once it is durable. */
export type RangeChange = { change: ParkingChange; apply: () => void }

/** Reason of ranges whose records the log no longer has. */
export const noLongerHeld = 'No longer in the log'
const deleted = 'The destination was deleted'
/** Reason of ranges and rows beyond a limit. */
export const limit = 'limit'

export type RangeChangeInput = {
  id: string
  lane: Lane
  spilled: SpilledRanges
  settings: DeliverySettings
  metrics: Metrics
  now: number
  /** Whether young ranges are written, too. */
  all: boolean
  /** Whether the destination was deleted, so that all its held deliveries are dead. */
  gone: boolean
}

const rowOf = (
  { id, lane, now }: Pick<RangeChangeInput, 'id' | 'lane' | 'now'>,
  range: SpilledRange,
  dead: string | undefined,
): NewParkedRow => ({
  id: range.id,
  workspaceId: range.workspaceId,
  sourceId: range.sourceId,
  destinationId: id,
  partition: range.partition,
  offset: rangeLow(range),
  end: range.end,
  indexes: [],
  eventIds: [],
  attempts: 0,
  firstTime: range.firstTime,
  nextTime: now,
  events: range.events,
  bytes: range.bytes,
  state: dead === undefined ? 'waiting' : 'dead',
  lastStatus: undefined,
  needsReport: range.needsReport,
  reason: dead ?? '',
  request: '',
  response: '',
  lane,
  holds: range.holds,
})

/** Ranges beyond the limits of age and number, the oldest first. */
const beyondLimits = (spilled: SpilledRanges, limits: DeliverySettings['held'], now: number): Set<SpilledRange> => {
  const beyond = new Set<SpilledRange>()
  let events = spilled.events()
  for (const range of spilled.all().toSorted((a, b) => a.firstTime - b.firstTime)) {
    if (now - range.lastTime <= limits.maxAgeMs && events <= limits.maxEvents) continue
    beyond.add(range)
    events -= range.events
  }
  return beyond
}

/**
 * The changes of a worker's spilled ranges to write now: new and moved ranges (at most once in `parkAfterMs` each), and
 * dead ones. Finished ranges are deleted. A range that is finished before it was ever written costs nothing.
 */
export const rangeChange = (input: RangeChangeInput): RangeChange => {
  const { spilled, settings, metrics, now } = input
  const deletes: string[] = []
  const rows: NewParkedRow[] = []
  const notes: (() => void)[] = []
  const over = spilled.all().length === 0 ? new Set<SpilledRange>() : beyondLimits(spilled, settings.held, now)
  for (const range of spilled.all()) {
    const { persisted } = range
    if (isRangeDone(range)) {
      if (persisted !== undefined) deletes.push(range.id)
      notes.push(() => isRangeDone(range) && spilled.drop(range))
      continue
    }
    const dead = range.dead ?? (input.gone ? deleted : over.has(range) ? limit : undefined)
    const from = rangeLow(range)
    const { end } = range
    const moved = persisted === undefined || persisted.from !== from || persisted.end !== end
    if (dead === undefined && (!moved || (!input.all && now - range.writtenAt < settings.parkAfterMs))) continue
    if (persisted !== undefined) deletes.push(range.id)
    // Records that arrive during the write must not die with the range.
    if (dead !== undefined) range.sealed = true
    rows.push(rowOf(input, range, dead))
    notes.push(() => {
      range.writtenAt = now
      range.persisted = { from, end }
      if (dead === undefined) return
      spilled.drop(range)
      metrics.count('delivery_events_dead', range.events, { reason: dead })
    })
  }
  return {
    change: { deletes, rows },
    apply: () => {
      for (const note of notes) note()
    },
  }
}

/**
 * Restores a range from the database. From the offset `limit` on, the log has other records than the range, whose
 * records are lost.
 */
export const restoredRange = (row: ParkedRange, now: number, limit = Number.POSITIVE_INFINITY): SpilledRange => ({
  id: row.id,
  partition: row.partition,
  workspaceId: row.workspaceId,
  sourceId: row.sourceId,
  holds: row.holds,
  cursor: row.offset,
  end: Math.min(row.end, Math.max(row.offset, limit)),
  needsReport: row.needsReport,
  events: row.events,
  bytes: row.bytes,
  unreadEvents: row.events,
  unreadBytes: row.bytes,
  firstTime: row.firstTime,
  lastTime: row.firstTime,
  writtenAt: now,
  persisted: { from: row.offset, end: row.end },
  sealed: true,
  restored: true,
  dead: row.offset < limit ? undefined : noLongerHeld,
  tracker: createOffsetTracker(),
})
