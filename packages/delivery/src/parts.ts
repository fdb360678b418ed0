import type { DeliverResult } from '@tributary/connector-kit'
import { newId } from '@tributary/kernel'
import type { NewParkedRow, ParkedRow, ParkingChange } from './parking.ts'
import type { Outgoing, RecordReference } from './record.ts'
import type { Decision } from './retry-rules.ts'

/** What is to be written of an event that was not delivered; `returned` means that it was not tried. */
export type Fate = {
  index: number
  /** Empty where it is not known. */
  eventId: string
  decision: Exclude<Decision, { kind: 'delivered' }> | { kind: 'returned' }
  result: Pick<DeliverResult, 'httpStatus' | 'request' | 'response'> | undefined
}

/** The events of one record on their way to one destination. */
export type Part = {
  readonly record: RecordReference
  /** The parked row they came from; undefined for events straight from the log. */
  readonly row: ParkedRow | undefined
  /** Holds: one for each event, delivery log row and parking change that is not durable yet. */
  open: number
  /** Of a parked row: what became of its events, until all are known. */
  readonly fates: Fate[]
  /** Called once, when the last hold is gone. */
  readonly finish: () => void
}

/** One event or row in a lane's queue. */
export type Item = {
  /** Replaced when the item is adopted by a parked row. */
  part: Part
  readonly index: number
  readonly event: Outgoing
  /** Of what goes out. */
  readonly bytes: number
  /** Epoch ms of its entry. */
  readonly since: number
  /** Its place among all that entered the queue; the queue's own. */
  entry: number
}

/** Takes holds off a part. */
export const releasePart = (part: Part, holds = 1): void => {
  part.open -= holds
  if (part.open === 0) part.finish()
}

const newRow = (destinationId: string, part: Part, fates: readonly Fate[], now: number): NewParkedRow => {
  const last = fates.at(-1)
  const decision = last?.decision ?? { kind: 'returned' as const }
  const { record, row } = part
  const tried = decision.kind !== 'returned'
  const nextTime = fates.reduce(
    (latest, fate) => Math.max(latest, 'nextTime' in fate.decision ? fate.decision.nextTime : now),
    now,
  )
  const inOrder = fates.toSorted((a, b) => a.index - b.index)
  return {
    id: newId(),
    workspaceId: record.meta.w,
    sourceId: record.meta.s,
    destinationId,
    partition: record.partition,
    offset: record.offset,
    indexes: inOrder.map((fate) => fate.index),
    eventIds: inOrder.every((fate) => fate.eventId !== '') ? inOrder.map((fate) => fate.eventId) : [],
    attempts: (row?.attempts ?? 0) + (tried ? 1 : 0),
    // The time for retries runs from the first try on.
    firstTime: row !== undefined && (row.attempts > 0 || !tried) ? row.firstTime : now,
    nextTime,
    events: fates.length,
    bytes: Math.round((record.bytes * fates.length) / Math.max(record.meta.n, 1)),
    state: decision.kind === 'dead' ? 'dead' : 'waiting',
    lastStatus: last?.result?.httpStatus,
    // What is dead now was told with its attempt.
    tells: record.meta.b !== undefined && decision.kind !== 'dead',
    reason: 'reason' in decision ? decision.reason : '',
    request: last?.result?.request ?? '',
    response: last?.result?.response ?? '',
    replayId: row?.replayId,
  }
}

const kindOf = ({ decision }: Fate): string =>
  decision.kind === 'dead' ? `dead ${decision.reason}` : decision.kind === 'waiting' ? 'waiting' : 'returned'

/**
 * Rows for events that were not delivered: one for each kind of fate, since those share time and answer. What is dead for
 * different reasons lies in different rows, since a person reads and mends them one by one.
 */
export const rowsOf = (destinationId: string, part: Part, fates: readonly Fate[], now: number): NewParkedRow[] => {
  const groups = new Map<string, Fate[]>()
  for (const fate of fates) {
    const group = groups.get(kindOf(fate))
    if (group === undefined) groups.set(kindOf(fate), [fate])
    else group.push(fate)
  }
  return [...groups.values()].map((same) => newRow(destinationId, part, same, now))
}

/**
 * What replaces a parked row once the fates of all its events are known: nothing where all were delivered; undefined
 * where none was tried, so that it stays as it is.
 */
export const replaceRow = (
  destinationId: string,
  part: Part,
  row: ParkedRow,
  now: number,
): ParkingChange | undefined => {
  const { fates } = part
  if (fates.length === row.indexes.length && fates.every((fate) => fate.decision.kind === 'returned')) return undefined
  const rows = rowsOf(destinationId, part, fates, now)
  const [only] = rows
  // The same events keep their name.
  const kept =
    rows.length === 1 && only !== undefined && only.events === row.indexes.length ? [{ ...only, id: row.id }] : rows
  return { deletes: [row.id], rows: kept }
}
