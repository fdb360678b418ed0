import {
  type Compatibility,
  definitionOf,
  type EventDetail,
  type EventSummary,
  formatSourceSchema,
  type LiveEventSummary,
  type ObjectSchema,
  type SourceSchema,
  type ValidationResult,
  validatedDataOf,
  validateEvent,
} from '@tributary/contract'
import { isValidatedType } from '../compatibility/property-rows.ts'

/** One event of the live debugger. */
export type LiveEvent = {
  eventId: string
  /** The message ID. The list shows each message ID once. */
  messageId: string
  type: string
  title: string
  /** The user ID, or the anonymous ID if there is no user ID; '' if there is neither. */
  user: string
  test: boolean
  receiveTime: string
  status: string
  reason: string
  /** The validation result on arrival; '' if it was not validated. */
  compatibility: Compatibility | ''
  /** The schema version that validated the event on arrival; 0 if it was not validated. */
  schemaVersion: number
  /** The payload as destinations receive it: undefined until it is loaded, null if it is not a JSON object. */
  payload: { readonly [name: string]: unknown } | null | undefined
  /** Some of the properties or traits of the event, for use until the payload is loaded. */
  values?: Readonly<Record<string, unknown>>
}

/** Converts a row of the stored list to the live list. */
export const ofSummary = (event: EventSummary): LiveEvent => ({
  eventId: event.event_id,
  messageId: event.message_id,
  type: event.type,
  title: event.title,
  user: event.user_id === '' ? event.anonymous_id : event.user_id,
  test: event.test,
  receiveTime: event.receive_time,
  status: event.status,
  reason: event.reason,
  compatibility: event.compatibility,
  schemaVersion: event.schema_version,
  payload: undefined,
})

/** Converts a completely loaded event. */
export const ofDetail = (event: EventDetail): LiveEvent => ({ ...ofSummary(event), payload: event.payload })

/** Converts a message of the live channel to the live list. */
export const ofLive = (event: LiveEventSummary): LiveEvent => ({
  eventId: event.eventId,
  messageId: event.messageId,
  type: event.type,
  title: event.title,
  user: event.userId ?? event.anonymousId ?? '',
  test: event.test,
  receiveTime: event.receiveTime,
  status: event.status,
  reason: event.reason ?? '',
  compatibility: event.compatibility ?? '',
  schemaVersion: event.schemaVersion ?? 0,
  payload: undefined,
  ...(event.values === undefined ? {} : { values: event.values }),
})

/** The schemas that validate events. */
export type KnownSchemas = {
  /** The current schema. */
  schema: SourceSchema
  /** The known versions of the schema, by number. */
  versions: ReadonlyMap<number, SourceSchema>
}

const texts = new WeakMap<ObjectSchema, string>()

/** Returns the text of a definition. Cached, because many rows need the same definitions. */
const textOf = (definition: ObjectSchema): string => {
  const known = texts.get(definition) ?? formatSourceSchema({ events: new Map([['', definition]]) })
  texts.set(definition, known)
  return known
}

/** Whether two schemas have the same definition of an event. */
const agree = (one: SourceSchema, other: SourceSchema, { type, title }: LiveEvent): boolean => {
  const [first, second] = [definitionOf(one, type, title), definitionOf(other, type, title)]
  if (first === second) return true
  return first !== undefined && second !== undefined && textOf(first) === textOf(second)
}

/**
 * The validation of an event by the current schema. Two cases need no payload: the schema has no definition of the
 * event, or the same definition as the version that validated it. Undefined for a rejected event, which is not
 * validated, and while the payload is needed.
 */
export const validationOf = (event: LiveEvent, { schema, versions }: KnownSchemas): ValidationResult | undefined => {
  const { type, title, payload, compatibility } = event
  if (event.status === 'rejected') return undefined
  if (payload !== undefined)
    return validateEvent(schema, { type, title, data: payload === null ? undefined : validatedDataOf(type, payload) })
  if (!isValidatedType(type) || definitionOf(schema, type, title) === undefined)
    return validateEvent(schema, { type, title, data: undefined })
  const then = versions.get(event.schemaVersion)
  if (compatibility === '' || then === undefined || !agree(then, schema, event)) return undefined
  return { compatibility, problems: [] }
}

/** Whether the validation of an event needs its payload. */
export const needsPayload = (event: LiveEvent, known: KnownSchemas): boolean =>
  event.status !== 'rejected' && event.payload === undefined && validationOf(event, known) === undefined
