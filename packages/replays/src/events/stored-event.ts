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
  /** The context as JSON text, merged with that of the event's batch. */
  context: string
  /**
   * The integrations as JSON text, merged with those of the event's batch. Stored only if the batch had integrations or
   * the event was blocked; otherwise ''.
   */
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

/** Names of times. A time that can be parsed has its own column. */
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
 * Returns a text of a column as JSON. If the text has U+FFFD, which the event store writes in place of a lone
 * surrogate, the text is taken from the received event.
 */
const asSent = (value: string, ...places: readonly (string | undefined)[]): string => {
  if (!value.includes('\ufffd')) return JSON.stringify(value)
  const sent = places.map(textIn).find((text) => text !== undefined && text.toWellFormed() === value)
  return JSON.stringify(sent ?? value)
}

const text = (value: string, sent: string | undefined): string | undefined =>
  value === '' ? undefined : asSent(value, sent)

/** Returns the name of a page in its properties. */
const nameIn = (properties: string | undefined): string | undefined =>
  properties?.startsWith('{') === true ? jsonMembers(properties).get('name') : undefined

/**
 * Returns the text of a JSON object, or undefined for other texts. The texts are compact, so an object begins with its
 * brace.
 */
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
 * Returns a stored event as the JSON text that the pipeline passed to deliveries: keys in the same order, values as
 * sent. Returns undefined for a row that was never delivered, because it does not have the form of an event. It follows
 * the pipeline's step `normalize`.
 */
export const storedEventText = (row: StoredEventRow): string | undefined => {
  const { type } = row
  if (payloadOf(row.original) === null || !isEventType(type)) return undefined
  return jsonText(membersOf(row, type).filter(isThere))
}

/** The form in which a consumer that catches up reads stored events: the same text as in the stream. */
export const storedForm: StoredForm = {
  columns: storedEventColumns,
  textOf: (row: StoredEventRow) => storedEventText(row),
}

/** Parses an event's text. */
export const eventOf = (json: string): PipelineEvent =>
  // `storedEventText` wrote the text, so every key has its type.
  JSON.parse(json) as PipelineEvent

/** Returns the values of a stored event; undefined if `storedEventText` returns undefined. */
export const storedEvent = (row: StoredEventRow): PipelineEvent | undefined => {
  const json = storedEventText(row)
  return json === undefined ? undefined : eventOf(json)
}

/**
 * Returns the object in the text of a rejected event. Returns null if there is none, or if it has too many levels to be
 * written.
 */
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
 * Returns the payload of an event for the API, as values and as text: the form that destinations get, with all digits.
 * A rejected event cannot be converted to that form, so it is returned as received.
 */
export const presentPayload = (
  row: StoredEventRow & { status: string },
): { payload: JsonObject | null; payload_text: string } => {
  const rejected = row.status === 'rejected'
  const text = (rejected ? undefined : storedEventText(row)) ?? row.original
  return { payload: rejected ? writable(text) : payloadOf(text, parseExactJson), payload_text: text }
}
