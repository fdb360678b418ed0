import type { DeliverResult } from '@tributary/connector-kit'
import { newId } from '@tributary/kernel'
import type { Held } from '../log/offsets.ts'
import type { Lane, Outgoing, RecordReference } from '../log/record.ts'
import type { Open } from './key-order.ts'
import type { NewParkedRow, ParkedRow, ParkingChange } from './parked-row.ts'
import type { Decision } from './retry-rules.ts'

/** What to write of an event that was not delivered; `returned` and `behind` mean that it was not tried. */
export type EventFailure = {
  index: number
  /** Empty where it is not known. */
  eventId: string
  decision:
    | Exclude<Decision, { kind: 'delivered' }>
    | { kind: 'returned' }
    | { kind: 'behind'; nextTime: number; reason: string }
  result: Pick<DeliverResult, 'httpStatus' | 'request' | 'response'> | undefined
  /** Its open change, where it has an order among the changes of its record. */
  open?: Open | undefined
}

/**
 * The events of one record on their way to one destination. There is a hold for each event, delivery log row, and
 * parking change that is not durable yet.
 */
export type InFlightRecord = Held & {
  readonly record: RecordReference
  /** The parked row they came from; undefined for events straight from the log. */
  readonly row: ParkedRow | undefined
  readonly lane: Lane
  /** For a parked row: the outcomes of its events, until all are known. */
  readonly failures: EventFailure[]
}

/** One event or row in a worker's queue. */
export type Item = {
  /** Replaced when the item is taken over by a parked row. */
  inFlight: InFlightRecord
  readonly index: number
  readonly event: Outgoing
  /** Bytes of the outgoing event. */
  readonly bytes: number
  /** Epoch ms when it entered. */
  readonly since: number
  /** Its position in order of entry; set by the queue. */
  entry: number
  /** Its open change, where it has an order among the changes of its record. */
  readonly open: Open | undefined
  /** Fields that the mapping left out, with the reasons. */
  readonly note?: string
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
    // The retry time starts with the first try.
    firstTime: row !== undefined && (row.attempts > 0 || !tried) ? row.firstTime : now,
    nextTime,
    events: failures.length,
    bytes: Math.round((record.bytes * failures.length) / Math.max(record.meta.count, 1)),
    state: decision.kind === 'dead' ? 'dead' : 'waiting',
    lastStatus: last?.result?.httpStatus,
    // A dead event was reported with its attempt.
    needsReport: record.meta.producer !== undefined && decision.kind !== 'dead',
    reason: 'reason' in decision ? decision.reason : '',
    request: last?.result?.request ?? '',
    response: last?.result?.response ?? '',
    replayId: row?.replayId,
    lane,
    opens: inOrder.flatMap(({ open }) => (open === undefined ? [] : [open])),
  }
}

const kindOf = ({ decision }: EventFailure): string =>
  decision.kind === 'dead' ? `dead ${decision.reason}` : decision.kind

/**
 * Creates rows for events that were not delivered: one for each kind of outcome, since those share time and answer.
 * Events that are dead for different reasons get different rows, since a person reads and fixes them one by one.
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
 * Replaces a parked row once the outcomes of all its events are known. Leaves no row where all were delivered;
 * undefined where none was tried, so that the row stays.
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
  // A row of the same events keeps its ID.
  const kept =
    rows.length === 1 && only !== undefined && only.events === row.indexes.length ? [{ ...only, id: row.id }] : rows
  return { deletes: [row.id], rows: kept }
}
