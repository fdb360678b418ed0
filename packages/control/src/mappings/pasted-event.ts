import { type EventType, eventTypeOf, eventTypes, type PipelineEvent } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import { payloadOf } from '../events/read.ts'
import { storedEvent } from '../events/stored-event.ts'

type Values = Record<string, unknown>

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

const refused = (text: string): Error => badRequest('VALIDATION', `payload: ${text}`, { payload: text })

/** The time that a text or number of ms stands for, or undefined. */
const timeOf = (value: unknown): number | undefined => {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Math.abs(ms) <= 8.64e15 ? ms : undefined
}

/** What only an event that a preview has shown has, and a call of the tracking API has not. */
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
 * An event that a person wrote, as JSON text: a call of the tracking API, or an event as a preview shows it. Ids and times
 * that it lacks are made up. Throws 400 when it is no JSON object, or of a type that there is none of.
 */
export const pastedEvent = (text: string, options: { type: EventType | ''; now: number }): PipelineEvent => {
  const given = payloadOf(text)
  if (given === null) throw refused('Must be a JSON object')
  const type = typeOf(given, options.type)
  const { eventId, test, extra, ...rest } = given
  const shown = isShown(given)
  const original = shown && typeof extra === 'object' ? { ...rest, ...extra } : shown ? rest : given
  const properties = given['properties']
  const name = typeof properties === 'object' && properties !== null && 'name' in properties ? properties.name : ''
  const named = type === 'page' || type === 'screen'
  const event = storedEvent({
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
    receive_ms: timeOf(given['receivedAt']) ?? options.now,
    timestamp_ms: timeOf(given['timestamp']) ?? options.now,
    original_timestamp_ms: timeOf(given['originalTimestamp']) ?? null,
    sent_at_ms: timeOf(given['sentAt']) ?? null,
  })
  if (event === undefined) throw refused('Must be an event')
  return event
}
