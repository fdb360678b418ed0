import { type EventType, eventTypes, type PipelineEvent } from '@tributary/contract'
import {
  hasDoubledNames,
  isUnreadTime,
  type JsonObject,
  jsonMembers,
  jsonText,
  parseExactJson,
  withoutDoubledNames,
} from '@tributary/kernel'
import type { StoredForm } from '@tributary/storage'
import { payloadOf, wireTime } from './read.ts'

/** Columns of the table `events` that `storedEvent` needs. Times are epoch ms. */
export const storedEventColumns = `event_id, message_id, type, event, user_id, anonymous_id, group_id, previous_id, test,
  context, integrations, original,
  toUnixTimestamp64Milli(receive_time) as receive_ms, toUnixTimestamp64Milli(timestamp) as timestamp_ms,
  toUnixTimestamp64Milli(original_timestamp) as original_timestamp_ms, toUnixTimestamp64Milli(sent_at) as sent_at_ms`

/** A stored event with all values that deliveries need. */
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
  /** JSON text, merged with that of its batch. */
  context: string
  /** JSON text, merged with that of its batch, if its batch had integrations or the event was blocked; else ''. */
  integrations: string
  /** The event as received. */
  original: string
  receive_ms: number
  timestamp_ms: number
  original_timestamp_ms: number | null
  sent_at_ms: number | null
}

const isEventType = (text: string): text is EventType => eventTypes.some((type) => type === text)

/** Keys of a received event that have another place in a PipelineEvent, or none. */
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

/** Times, which have another place if they can be parsed. */
const times = ['timestamp', 'originalTimestamp', 'sentAt'] as const

/** A member as JSON text; undefined if the event does not have it. */
type Member = readonly [name: string, text: string | undefined]

const extraOf = (original: ReadonlyMap<string, string>, type: EventType): string | undefined => {
  const named = type === 'page' || type === 'screen'
  const members = [...original].filter(([key]) => !known.has(key) && !(named && key === 'name'))
  for (const key of times) {
    const text = original.get(key)
    if (text !== undefined && isUnreadTime(parseExactJson(text))) members.push([key, text])
  }
  return members.length === 0 ? undefined : jsonText(members)
}

const textIn = (json: string | undefined): string | undefined => {
  const value: unknown = json?.startsWith('"') === true ? JSON.parse(json) : undefined
  return typeof value === 'string' ? value : undefined
}

/**
 * A text of a column as JSON. The event store has U+FFFD in place of a lone surrogate; then the text is taken from the
 * received event.
 */
const asSent = (value: string, ...places: readonly (string | undefined)[]): string => {
  if (!value.includes('\ufffd')) return JSON.stringify(value)
  const sent = places.map(textIn).find((text) => text !== undefined && text.toWellFormed() === value)
  return JSON.stringify(sent ?? value)
}

const text = (value: string, sent: string | undefined): string | undefined =>
  value === '' ? undefined : asSent(value, sent)

/** The name of a page in its properties. */
const nameIn = (properties: string | undefined): string | undefined =>
  properties?.startsWith('{') === true ? jsonMembers(properties).get('name') : undefined

/** An object as JSON text. Members are compact, so an object begins with its brace. */
const object = (value: string | undefined): string | undefined => (value?.startsWith('{') ? value : undefined)

const time = (ms: number | null): string | undefined => (ms === null ? undefined : JSON.stringify(wireTime(ms)))

const membersOf = (row: StoredEventRow, type: EventType): Member[] => {
  const original = jsonMembers(row.original)
  if (hasDoubledNames(row.original, JSON.parse(row.original)))
    for (const [name, member] of original) original.set(name, withoutDoubledNames(member))
  const context = payloadOf(row.context) === null ? '{}' : row.context
  const traits = object(original.get('traits'))
  return [
    ['eventId', JSON.stringify(row.event_id)],
    ['messageId', asSent(row.message_id, original.get('messageId'))],
    ['type', JSON.stringify(type)],
    ['event', asSent(row.event, original.get('name'), original.get('event'), nameIn(original.get('properties')))],
    ['userId', text(row.user_id, original.get('userId'))],
    ['anonymousId', text(row.anonymous_id, original.get('anonymousId'))],
    ['groupId', text(row.group_id, original.get('groupId'))],
    ['previousId', text(row.previous_id, original.get('previousId'))],
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
 * A stored event as the JSON text that the pipeline passed to deliveries: keys in the same order, values as sent.
 * Undefined for a row that was never delivered, since it does not have the form of an event. It follows the pipeline's
 * step `normalize`.
 */
export const storedEventText = (row: StoredEventRow): string | undefined => {
  const { type } = row
  if (payloadOf(row.original) === null || !isEventType(type)) return undefined
  return jsonText(membersOf(row, type).filter(isThere))
}

/** How a catching-up consumer reads stored events: in the same text as in the stream. */
export const storedForm: StoredForm = {
  columns: storedEventColumns,
  textOf: (row: StoredEventRow) => storedEventText(row),
}

/** Parses an event's text. */
export const eventOf = (json: string): PipelineEvent =>
  // `storedEventText` wrote the text, so every key has its type.
  JSON.parse(json) as PipelineEvent

/** The values of a stored event; undefined if its text is. */
export const storedEvent = (row: StoredEventRow): PipelineEvent | undefined => {
  const json = storedEventText(row)
  return json === undefined ? undefined : eventOf(json)
}

/** The object in the text of a rejected event; null if there is none, or it has too many levels to be written. */
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
 * An event's payload for the API: the form that destinations get, with all digits, and the same as text. A rejected
 * event cannot be converted to that form, so it is returned as received.
 */
export const presentPayload = (
  row: StoredEventRow & { status: string },
): { payload: JsonObject | null; payload_text: string } => {
  const rejected = row.status === 'rejected'
  const text = (rejected ? undefined : storedEventText(row)) ?? row.original
  return { payload: rejected ? writable(text) : payloadOf(text, parseExactJson), payload_text: text }
}
