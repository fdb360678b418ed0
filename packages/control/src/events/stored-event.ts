import { type EventType, eventTypes, type PipelineEvent } from '@tributary/contract'
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

type Values = Record<string, unknown>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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

const extraOf = (original: Values, type: EventType): { extra?: Values } => {
  const named = type === 'page' || type === 'screen'
  const entries = Object.entries(original).filter(([key]) => !known.has(key) && !(named && key === 'name'))
  return entries.length === 0 ? {} : { extra: Object.fromEntries(entries) }
}

const text = <Key extends string>(key: Key, value: string): Partial<Record<Key, string>> =>
  value === '' ? {} : ({ [key]: value } as Record<Key, string>)

const object = <Key extends string>(key: Key, value: unknown): Partial<Record<Key, Values>> =>
  isObject(value) ? ({ [key]: value } as Record<Key, Values>) : {}

const time = <Key extends string>(key: Key, ms: number | null): Partial<Record<Key, string>> =>
  ms === null ? {} : ({ [key]: wireTime(ms) } as Record<Key, string>)

/**
 * A stored event as the pipeline handed it to deliveries, its keys in the same order; undefined for a rejected one, which
 * was never handed on. The rules are those of the pipeline's step `normalise`. (A name that its context has twice went out
 * twice and is read as its last here.)
 */
export const storedEvent = (row: StoredEventRow): PipelineEvent | undefined => {
  const { type } = row
  const original = payloadOf(row.original)
  if (original === null || !isEventType(type)) return undefined
  const context = payloadOf(row.context) ?? {}
  const { properties, traits } = original
  return {
    eventId: row.event_id,
    messageId: row.message_id,
    type,
    event: row.event,
    ...text('userId', row.user_id),
    ...text('anonymousId', row.anonymous_id),
    ...text('groupId', row.group_id),
    ...text('previousId', row.previous_id),
    ...object('properties', properties),
    ...object('traits', type === 'identify' && !isObject(traits) ? context['traits'] : traits),
    context,
    ...object('integrations', row.integrations === '' ? original['integrations'] : payloadOf(row.integrations)),
    test: row.test,
    receivedAt: wireTime(row.receive_ms),
    timestamp: wireTime(row.timestamp_ms),
    ...time('originalTimestamp', row.original_timestamp_ms),
    ...time('sentAt', row.sent_at_ms),
    ...extraOf(original, type),
  }
}
