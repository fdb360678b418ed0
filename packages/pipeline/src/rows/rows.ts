import type { RequestFacts, ValidationResult } from '@tributary/contract'
import { cutText } from '@tributary/kernel'
import { createRowReader, createRowWriter, type RowWriter } from '@tributary/storage'
import type { AcceptedStatus, NormalEvent, RawEvent, Reject } from '../event-types.ts'
import { storableJson } from './json-text.ts'

/** The columns of the table `events`, in the order in which a row is written. */
export const eventColumns = [
  'workspace_id',
  'source_id',
  'receive_time',
  'imported',
  'event_id',
  'message_id',
  'type',
  'event',
  'user_id',
  'anonymous_id',
  'group_id',
  'previous_id',
  'ip',
  'test',
  'timestamp',
  'original_timestamp',
  'sent_at',
  'status',
  'reason',
  'compatibility',
  'schema_version',
  'problems',
  'properties',
  'traits',
  'context',
  'integrations',
  'original',
] as const

/** The known identity of an event. Absent texts are ''; times are epoch ms. */
type Identity = {
  readonly messageId: string
  readonly type: string
  readonly event: string
  readonly userId: string
  readonly anonymousId: string
  readonly groupId: string
  readonly previousId: string
  readonly ip: string
  readonly test: boolean
  readonly timestamp: number
  readonly originalTimestamp: number | undefined
  readonly sentAt: number | undefined
}

const unknownIdentity = (timestamp: number): Identity => ({
  messageId: '',
  type: '',
  event: '',
  userId: '',
  anonymousId: '',
  groupId: '',
  previousId: '',
  ip: '',
  test: false,
  timestamp,
  originalTimestamp: undefined,
  sentAt: undefined,
})

const scratch = createRowWriter()

/** The columns that all events of a request share: every row begins with these bytes. */
export const rowPrefix = (
  meta: Pick<RequestFacts, 'workspaceId' | 'sourceId' | 'receivedAt' | 'isImported'>,
): Uint8Array => {
  scratch.text(meta.workspaceId)
  scratch.text(meta.sourceId)
  scratch.time(meta.receivedAt)
  scratch.bool(meta.isImported)
  return scratch.take().bytes
}

const writeIdentity = (to: RowWriter, identity: Identity): void => {
  to.text(identity.messageId)
  to.text(identity.type)
  to.text(identity.event)
  to.text(identity.userId)
  to.text(identity.anonymousId)
  to.text(identity.groupId)
  to.text(identity.previousId)
  to.text(identity.ip)
  to.bool(identity.test)
  to.time(identity.timestamp)
  to.optionalTime(identity.originalTimestamp)
  to.optionalTime(identity.sentAt)
}

/** Writes how an event matched version `version` of its source's schema. */
const writeFit = (to: RowWriter, validation: ValidationResult | undefined, version: number): void => {
  to.text(validation?.compatibility ?? '')
  to.uint32(validation === undefined ? 0 : version)
  const problems = validation?.problems ?? []
  to.size(problems.length)
  for (const { property, kind } of problems) {
    to.text(property)
    to.text(kind)
  }
}

const jsonColumn = (text: string): string => (text === '' ? '{}' : storableJson(text))

/**
 * The integrations of an event's batch, which a replay needs and the original may lack. Those of blocked and held
 * events are always kept.
 */
const forReplay = ({ integrations, exact, raw }: NormalEvent, status: AcceptedStatus): string =>
  integrations === undefined || (status === 'accepted' && raw.request.integrations === undefined)
    ? ''
    : (exact?.get('integrations') ?? JSON.stringify(integrations))

/** Writes the row of an accepted, blocked, or held event. Without a validation result, the source has no schema. */
export const writeAccepted = (
  to: RowWriter,
  event: NormalEvent,
  status: AcceptedStatus,
  validation: ValidationResult | undefined,
  version: number,
): void => {
  const { raw } = event
  to.raw(raw.request.rowPrefix)
  to.text(raw.eventId)
  writeIdentity(to, event)
  to.text(status)
  to.text(event.note)
  writeFit(to, validation, version)
  to.text(jsonColumn(event.properties))
  to.text(jsonColumn(event.traits))
  to.text(event.context === '{}' ? '' : event.context)
  to.text(forReplay(event, status))
  to.text(raw.original)
  to.end()
}

/** Writes a rejected row: the known identity, the reason, and the original, with empty JSON columns. */
const writeWithoutPayload = (
  to: RowWriter,
  row: { prefix: Uint8Array; eventId: string; identity: Identity; reason: string; original: string },
): void => {
  to.raw(row.prefix)
  to.text(row.eventId)
  writeIdentity(to, row.identity)
  to.text('rejected')
  to.text(row.reason)
  writeFit(to, undefined, 0)
  to.text('{}')
  to.text('{}')
  to.text('')
  to.text('')
  to.text(row.original)
  to.end()
}

/**
 * Writes the row of a rejected event: its original, its reason, and the part that could be read. The JSON columns are
 * empty.
 */
export const writeRejected = (to: RowWriter, raw: RawEvent, event: NormalEvent | undefined, why: Reject): void =>
  writeWithoutPayload(to, {
    prefix: raw.request.rowPrefix,
    eventId: raw.eventId,
    identity: event ?? unknownIdentity(raw.request.meta.receivedAt),
    reason: reasonText(why),
    original: raw.original,
  })

/** Returns the stored form of a reason: its stable name, then its message, which says how to fix the event. */
export const reasonText = (why: Pick<Reject, 'reason' | 'message'>): string => `${why.reason}: ${why.message}`

/** A row as it was written. */
type StoredRow = Identity & {
  readonly workspaceId: string
  readonly sourceId: string
  readonly receiveTime: number
  readonly imported: boolean
  readonly eventId: string
  readonly status: string
  readonly reason: string
  readonly compatibility: string
  readonly schemaVersion: number
  readonly problems: readonly { property: string; kind: string }[]
  /** JSON as text; context and integrations are '' if there are none. */
  readonly properties: string
  readonly traits: string
  readonly context: string
  readonly integrations: string
  readonly original: string
}

/** Parses a row. */
export const readRow = (row: Uint8Array): StoredRow => {
  const from = createRowReader(row)
  // The properties are read in the order of `eventColumns`.
  return {
    workspaceId: from.text(),
    sourceId: from.text(),
    receiveTime: from.time(),
    imported: from.bool(),
    eventId: from.text(),
    messageId: from.text(),
    type: from.text(),
    event: from.text(),
    userId: from.text(),
    anonymousId: from.text(),
    groupId: from.text(),
    previousId: from.text(),
    ip: from.text(),
    test: from.bool(),
    timestamp: from.time(),
    originalTimestamp: from.optionalTime(),
    sentAt: from.optionalTime(),
    status: from.text(),
    reason: from.text(),
    compatibility: from.text(),
    schemaVersion: from.uint32(),
    problems: Array.from({ length: from.size() }, () => ({ property: from.text(), kind: from.text() })),
    properties: from.text(),
    traits: from.text(),
    context: from.text(),
    integrations: from.text(),
    original: from.text(),
  }
}

/** Returns the owner of a row as text: its workspace and its source. */
export const rowOwner = (row: Uint8Array): string => {
  const from = createRowReader(row)
  return `${from.text()}\n${from.text()}`
}

/**
 * Returns the row that replaces one that the event store refused. Its status is rejected, its reason has the engine's
 * message, and it has no JSON columns. The `bare` form keeps only the event time of the identity columns.
 */
export const refusedRow = (row: Uint8Array, engineMessage: string, form: 'full' | 'bare'): Uint8Array => {
  const read = readRow(row)
  writeWithoutPayload(scratch, {
    prefix: rowPrefix({
      workspaceId: read.workspaceId,
      sourceId: read.sourceId,
      receivedAt: read.receiveTime,
      isImported: read.imported,
    }),
    eventId: read.eventId,
    identity: form === 'full' ? read : unknownIdentity(read.timestamp),
    reason: reasonText({ reason: 'refused_by_event_store', message: cutText(engineMessage, 300) }),
    original: read.original,
  })
  return scratch.take().bytes
}

/** Number of a source's events that were discarded in an hour, by reason. */
export type DiscardedCount = { workspaceId: string; sourceId: string; hour: number; reason: string; events: number }

/** A row of the table `dropped_events`; `hour` is epoch seconds. */
export const discardedRow = (count: DiscardedCount): string =>
  `{"workspace_id":${JSON.stringify(count.workspaceId)},"source_id":${JSON.stringify(count.sourceId)},"hour":${count.hour},"reason":"${count.reason}","events":${count.events}}`
