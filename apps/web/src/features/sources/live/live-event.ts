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
  /** Each is shown once. */
  messageId: string
  type: string
  title: string
  /** Its user id, or the anonymous id where it has none; '' without both. */
  user: string
  test: boolean
  receiveTime: string
  status: string
  reason: string
  /** How it fitted the schema when it was received; '' when nothing validated it. */
  compatibility: Compatibility | ''
  /** The version of the schema that validated it then; 0 when none did. */
  schemaVersion: number
  /** As destinations get it; undefined until it has been read whole, null when it is no JSON object. */
  payload: { readonly [name: string]: unknown } | null | undefined
  /** Some of its properties or traits, until the payload has been read. */
  values?: Readonly<Record<string, unknown>>
}

/** A row of the stored list as the live list shows it. */
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

/** An event that was read whole. */
export const ofDetail = (event: EventDetail): LiveEvent => ({ ...ofSummary(event), payload: event.payload })

/** A message of the live channel as the live list shows it. */
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
  /** The schema as it is now. */
  schema: SourceSchema
  /** The versions of it that have been seen, by their number. */
  versions: ReadonlyMap<number, SourceSchema>
}

const texts = new WeakMap<ObjectSchema, string>()

/** A definition as text; many rows ask for the same ones over and over. */
const textOf = (definition: ObjectSchema): string => {
  const known = texts.get(definition) ?? formatSourceSchema({ events: new Map([['', definition]]) })
  texts.set(definition, known)
  return known
}

/** Whether two schemas say the same of an event. */
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
