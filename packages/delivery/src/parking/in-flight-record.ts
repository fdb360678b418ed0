import type { DeliverResult } from '@tributary/connector-kit'
import { newId } from '@tributary/kernel'
import type { Held, KeptProfile, Lane, Outgoing, RecordReference } from '../log/record.ts'
import type { Open } from './key-order.ts'
import type { NewParkedRow, ParkedRow, ParkingChange } from './parked-row.ts'

/** The next step for an event after an attempt. Times are epoch ms. */
export type Decision =
  | { kind: 'delivered' }
  | { kind: 'waiting'; nextTime: number; reason: string }
  | { kind: 'dead'; reason: string }

/**
 * An event that was not delivered, and its outcome to write. `returned` and `behind` mean that the event was not tried.
 */
export type EventFailure = {
  index: number
  /** The ID of the event; '' if it is not known. */
  eventId: string
  decision:
    | Exclude<Decision, { kind: 'delivered' }>
    | { kind: 'returned' }
    | { kind: 'behind'; nextTime: number; reason: string }
  result: Pick<DeliverResult, 'httpStatus' | 'request' | 'response'> | undefined
  /** The event's open change of a record, if changes of that record are ordered. */
  open?: Open | undefined
  /** The profile with which the event was mapped; null if its user was deleted. If absent, that of the row is kept. */
  profile?: KeptProfile | undefined | null
}

/**
 * The events of one record on their way to one destination. It has a hold for each event, delivery log row, and parking
 * change that is not durable yet.
 */
export type InFlightRecord = Held & {
  readonly record: RecordReference
  /** The parked row of the events; undefined for events directly from the log. */
  readonly row: ParkedRow | undefined
  readonly lane: Lane
  /**
   * For a parked row: the failures of its events, which are collected until the outcomes of all its events are known.
   */
  readonly failures: EventFailure[]
}

/** One event or row in a worker's queue. */
export type Item = {
  /** The record in flight of the item. It is replaced when a parked row takes over the item. */
  inFlight: InFlightRecord
  readonly index: number
  readonly event: Outgoing
  /** Bytes of the outgoing event. */
  readonly bytes: number
  /** When the item entered the queue, epoch ms. */
  readonly since: number
  /** The item's position in the order of entry; set by the queue. */
  entry: number
  /** The event's open change of a record, if changes of that record are ordered. */
  readonly open: Open | undefined
  /** Fields that the mapping omitted, with the reasons. */
  readonly note?: string
  /** The profile with which the event was mapped, if its mapping uses the profile. */
  readonly profile?: KeptProfile | undefined
}

/** Bytes that an item takes in memory. */
export const memoryOf = ({ bytes, profile }: Pick<Item, 'bytes' | 'profile'>): number =>
  bytes + (profile?.json.length ?? 0)

/** Returns the profiles of events by event ID; undefined if none was mapped with its profile. */
const profilesOf = (row: ParkedRow | undefined, failures: readonly EventFailure[]): ParkedRow['profiles'] => {
  const kept = failures.flatMap(({ eventId, profile = row?.profiles?.[eventId] }) =>
    profile === undefined || profile === null || eventId === '' ? [] : [[eventId, profile] as const],
  )
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const newRow = (
  destinationId: string,
  inFlight: InFlightRecord,
  failures: readonly EventFailure[],
  now: number,
): NewParkedRow => {
  const last = failures.at(-1)
  const decision = last?.decision ?? { kind: 'returned' as const }
  const { record, row, lane } = inFlight
  const tried = decision.kind === 'waiting' || decision.kind === 'dead'
  const nextTime = failures.reduce(
    (latest, failure) => Math.max(latest, 'nextTime' in failure.decision ? failure.decision.nextTime : now),
    now,
  )
  const inOrder = failures.toSorted((a, b) => a.index - b.index)
  return {
    id: newId(),
    workspaceId: record.meta.workspaceId,
    sourceId: record.meta.sourceId,
    destinationId,
    partition: record.partition,
    offset: record.offset,
    indexes: inOrder.map((failure) => failure.index),
    eventIds: inOrder.every((failure) => failure.eventId !== '') ? inOrder.map((failure) => failure.eventId) : [],
    attempts: (row?.attempts ?? 0) + (tried ? 1 : 0),
    // The time for retries starts with the first attempt.
    firstTime: row !== undefined && (row.attempts > 0 || !tried) ? row.firstTime : now,
    nextTime,
    events: failures.length,
    bytes: Math.round((record.bytes * failures.length) / Math.max(record.meta.count, 1)),
    state: decision.kind === 'dead' ? 'dead' : 'waiting',
    lastStatus: last?.result?.httpStatus,
    // A dead event was already reported with its attempt.
    needsReport: record.meta.producer !== undefined && decision.kind !== 'dead',
    reason: 'reason' in decision ? decision.reason : '',
    request: last?.result?.request ?? '',
    response: last?.result?.response ?? '',
    replayId: row?.replayId,
    lane,
    profiles: profilesOf(row, failures),
    opens: inOrder.flatMap(({ open }) => (open === undefined ? [] : [open])),
  }
}

const kindOf = ({ decision }: EventFailure): string =>
  decision.kind === 'dead' ? `dead ${decision.reason}` : decision.kind

/**
 * Creates rows for events that were not delivered: one row for each kind of outcome, because the events of a row share
 * time and response. Events that are dead for different reasons get different rows, because users read and fix them one
 * by one.
 */
export const rowsOf = (
  destinationId: string,
  inFlight: InFlightRecord,
  failures: readonly EventFailure[],
  now: number,
): NewParkedRow[] => {
  const groups = new Map<string, EventFailure[]>()
  for (const failure of failures) {
    const group = groups.get(kindOf(failure))
    if (group === undefined) groups.set(kindOf(failure), [failure])
    else group.push(failure)
  }
  return [...groups.values()].map((same) => newRow(destinationId, inFlight, same, now))
}

/**
 * Returns the change that replaces a parked row, once the outcomes of all its events are known. No row remains if all
 * events were delivered. Undefined if no event was tried, so that the row stays.
 */
export const replaceRow = (
  destinationId: string,
  inFlight: InFlightRecord,
  row: ParkedRow,
  now: number,
): ParkingChange | undefined => {
  const { failures } = inFlight
  if (failures.length === row.indexes.length && failures.every((failure) => failure.decision.kind === 'returned'))
    return undefined
  const rows = rowsOf(destinationId, inFlight, failures, now)
  const [only] = rows
  // A new row with the same events keeps the row's ID.
  const kept =
    rows.length === 1 && only !== undefined && only.events === row.indexes.length ? [{ ...only, id: row.id }] : rows
  return { deletes: [row.id], rows: kept }
}
