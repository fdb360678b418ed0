import { type EventType, eventTypes, type PipelineEvent } from '@tributary/contract'
import { type JsonObject, jsonMembers, jsonText, parseExactJson } from '@tributary/kernel'
import type { StoredForm } from '@tributary/storage'
import { payloadOf, wireTime } from './read.ts'

/** Columns of the table `events` that `storedEvent` needs. Times are epoch ms. */
export const storedEventColumns = `event_id, message_id, type, event, user_id, anonymous_id, group_id, previous_id, test,
  context, integrations, original,
  toUnixTimestamp64Milli(receive_time) as receive_ms, toUnixTimestamp64Milli(timestamp) as timestamp_ms,
  toUnixTimestamp64Milli(original_timestamp) as original_timestamp_ms, toUnixTimestamp64Milli(sent_at) as sent_at_ms`

/** A stored event with everything that deliveries see of it. */
export type StoredEventRow = {
  event_id: string
  message_id: string
  type: string
  event: string
  user_id: string
  anonymous_id: string
  group_id: string
  previous_id: string
  test: boolean
  /** JSON text, with that of its batch. */
  context: string
  /** JSON text with those of its batch, where its batch had some or it was blocked; else ''. */
  integrations: string
  /** The event as received. */
  original: string
  receive_ms: number
  timestamp_ms: number
  original_timestamp_ms: number | null
  sent_at_ms: number | null
}

const isEventType = (text: string): text is EventType => eventTypes.some((type) => type === text)

/** Keys of an event as received that stand elsewhere in a PipelineEvent, or nowhere. */
const known = new Set([
  'type',
  'messageId',
  'event',
  'userId',
  'anonymousId',
  'groupId',
  'previousId',
  'properties',
  'traits',
  'context',
  'integrations',
  'originalTimestamp',
  'timestamp',
  'sentAt',
  'writeKey',
  'receivedAt',
])

/** A member as JSON text, undefined where the event has none. */
type Member = readonly [name: string, text: string | undefined]

const extraOf = (original: ReadonlyMap<string, string>, type: EventType): string | undefined => {
  const named = type === 'page' || type === 'screen'
  const members = [...original].filter(([key]) => !known.has(key) && !(named && key === 'name'))
  return members.length === 0 ? undefined : jsonText(members)
}

const text = (value: string): string | undefined => (value === '' ? undefined : JSON.stringify(value))

/** Members of an event are compact: an object begins with its brace. */
const object = (value: string | undefined): string | undefined => (value?.startsWith('{') ? value : undefined)

const time = (ms: number | null): string | undefined => (ms === null ? undefined : JSON.stringify(wireTime(ms)))

const membersOf = (row: StoredEventRow, type: EventType): Member[] => {
  const original = jsonMembers(row.original)
  const context = payloadOf(row.context) === null ? '{}' : row.context
  const traits = object(original.get('traits'))
  return [
    ['eventId', JSON.stringify(row.event_id)],
    ['messageId', JSON.stringify(row.message_id)],
    ['type', JSON.stringify(type)],
    ['event', JSON.stringify(row.event)],
    ['userId', text(row.user_id)],
    ['anonymousId', text(row.anonymous_id)],
    ['groupId', text(row.group_id)],
    ['previousId', text(row.previous_id)],
    ['properties', object(original.get('properties'))],
    ['traits', traits ?? (type === 'identify' ? object(jsonMembers(context).get('traits')) : undefined)],
    ['context', context],
    ['integrations', object(row.integrations === '' ? original.get('integrations') : row.integrations)],
    ['test', String(row.test)],
    ['receivedAt', time(row.receive_ms)],
    ['timestamp', time(row.timestamp_ms)],
    ['originalTimestamp', time(row.original_timestamp_ms)],
    ['sentAt', time(row.sent_at_ms)],
    ['extra', extraOf(original, type)],
  ]
}

const isThere = (member: Member): member is readonly [string, string] => member[1] !== undefined

/**
 * A stored event as the JSON text that the pipeline handed to deliveries: its keys in the same order, its values as they
 * came; undefined for what has no form of an event, which was never handed on. The rules are those of the pipeline's step
 * `normalise`.
 */
export const storedEventText = (row: StoredEventRow): string | undefined => {
  const { type } = row
  if (payloadOf(row.original) === null || !isEventType(type)) return undefined
  return jsonText(membersOf(row, type).filter(isThere))
}

/** How a consumer that catches up reads stored events: in the text that the stream has of them. */
export const storedForm: StoredForm = {
  columns: storedEventColumns,
  textOf: (row: StoredEventRow) => storedEventText(row),
}

/** The values of an event's text. */
export const eventOf = (json: string): PipelineEvent =>
  // Written by `storedEventText`: every key has its type.
  JSON.parse(json) as PipelineEvent

/** The values of a stored event; undefined as for its text. */
export const storedEvent = (row: StoredEventRow): PipelineEvent | undefined => {
  const json = storedEventText(row)
  return json === undefined ? undefined : eventOf(json)
}

/** The object in the text of a rejected event; null where there is none, or one of so many levels that it cannot be written. */
const writable = (text: string): JsonObject | null => {
  try {
    const value = payloadOf(text, parseExactJson)
    JSON.stringify(value)
    return value
  } catch {
    return null
  }
}

/**
 * An event's payload as the API shows it: the form that destinations get, its values to the digit, and the same as text. A
 * rejected event has no form of ours, since nothing of it could be made sense of: it is shown as received.
 */
export const presentPayload = (
  row: StoredEventRow & { status: string },
): { payload: JsonObject | null; payload_text: string } => {
  const rejected = row.status === 'rejected'
  const text = (rejected ? undefined : storedEventText(row)) ?? row.original
  return { payload: rejected ? writable(text) : payloadOf(text, parseExactJson), payload_text: text }
}
