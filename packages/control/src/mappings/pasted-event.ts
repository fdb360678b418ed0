import { type EventType, eventTypeOf, eventTypes } from '@tributary/contract'
import {
  badRequest,
  ExactNumber,
  isJsonObject,
  isRecord,
  jsonObject,
  numberText,
  parseExactJson,
  readEventTime,
} from '@tributary/kernel'
import { payloadOf, storedEventText } from '@tributary/replays'

type Values = Record<string, unknown>

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || value instanceof ExactNumber
      ? numberText(String(value))
      : ''

const refused = (text: string): Error => badRequest('VALIDATION', `payload: ${text}`, { payload: text })

/** Whether an event has fields that a preview shows, and that a call of the tracking API does not have. */
const isShown = (given: Values): boolean =>
  typeof given['eventId'] === 'string' && typeof given['receivedAt'] === 'string'

const typeOf = (given: Values, wanted: EventType | ''): EventType => {
  const { type } = given
  if (type === undefined) return wanted === '' ? 'track' : wanted
  const known = typeof type === 'string' ? eventTypeOf(type) : undefined
  if (known === undefined) throw refused(`The type must be one of ${eventTypes.join(', ')}`)
  return known
}

/**
 * Returns the text that deliveries would get for an event that a user entered as JSON. It can be a call of the tracking
 * API, or an event from a preview. Adds missing IDs and times, and does not change its values. Throws 400 if the text
 * is not a JSON object, or its type is unknown.
 */
export const pastedEvent = (text: string, options: { type: EventType | ''; now: number }): string => {
  const given = payloadOf(text, parseExactJson)
  if (given === null) throw refused('Must be a JSON object')
  const type = typeOf(given, options.type)
  const { eventId, test, extra } = given
  const shown = isShown(given)
  const rest = Object.entries(given).filter(([key]) => !['eventId', 'test', 'extra'].includes(key))
  const original = shown ? jsonObject([...rest, ...Object.entries(isJsonObject(extra) ? extra : {})]) : given
  const properties = given['properties']
  const name = isRecord(properties) && 'name' in properties ? properties.name : ''
  const named = type === 'page' || type === 'screen'
  const json = storedEventText({
    event_id: shown ? textOf(eventId) : 'preview',
    message_id: textOf(given['messageId']) || 'preview',
    type,
    event: textOf(named ? (given['name'] ?? given['event'] ?? name) : type === 'track' ? given['event'] : ''),
    user_id: textOf(given['userId']),
    anonymous_id: textOf(given['anonymousId']),
    group_id: textOf(given['groupId']),
    previous_id: textOf(given['previousId']),
    test: shown && test === true,
    context: JSON.stringify(given['context'] ?? {}),
    integrations: '',
    original: JSON.stringify(original),
    receive_ms: readEventTime(given['receivedAt']) ?? options.now,
    timestamp_ms: readEventTime(given['timestamp']) ?? options.now,
    original_timestamp_ms: readEventTime(given['originalTimestamp']) ?? null,
    sent_at_ms: readEventTime(given['sentAt']) ?? null,
  })
  if (json === undefined) throw refused('Must be an event')
  return json
}
