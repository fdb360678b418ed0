import { createHash } from 'node:crypto'
import type { OutgoingEvent } from '@tributary/connector-kit'
import { sendEvent } from './actions/send-event.ts'
import { valueText } from './values.ts'

/** Maximum properties of an occurrence (HubSpot, changelog "New property limits for the Custom Behavioural Events API"). */
const maxProperties = 50
/** Maximum characters of the name of a property (the same page). */
const maxNameCharacters = 50
/** Maximum characters of the name of an event that are sent. */
const maxEventName = 200

const fullName = /^pe\d+_/

/** Whether the name of an event has the account ID, as HubSpot shows it: `pe{HubID}_{name}`. */
export const isFullName = (name: string): boolean => fullName.test(name.trim().toLowerCase())

/**
 * Returns the name of a custom event in HubSpot: in lower case, with underscores for other characters, and with
 * the account ID. '' for a name without letters and digits.
 */
export const fullNameOf = (given: string, portal: string): string => {
  const name = given
    .trim()
    .slice(0, maxEventName)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '_')
  if (!/[a-z0-9]/.test(name)) return ''
  return fullName.test(name) ? name : `pe${portal}_${name}`
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Returns the UUID of an occurrence: the message ID if it is one, otherwise one that is made from it. */
export const uuidOf = (messageId: string): string => {
  if (uuid.test(messageId)) return messageId.toLowerCase()
  const hash = createHash('sha256').update(messageId).digest('hex')
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}

/** Returns properties under names that HubSpot allows. What cannot be sent is added to `leftOut`. */
const propertiesOf = (given: Readonly<Record<string, unknown>>, leftOut: string[]): Record<string, string> => {
  const properties: Record<string, string> = {}
  const wrong: string[] = []
  let extra = 0
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const clean = name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')
    if (!/^[a-z]/.test(clean) || clean.length > maxNameCharacters) wrong.push(name)
    else if (Object.keys(properties).length >= maxProperties) extra++
    else properties[clean] = valueText(value)
  }
  for (const name of wrong.slice(0, 3)) leftOut.push(`${name}: not a name of a property in HubSpot`)
  if (wrong.length > 3) leftOut.push(`${wrong.length - 3} more properties: no names of properties in HubSpot`)
  if (extra > 0) leftOut.push(`${extra} properties: more than ${maxProperties}`)
  return properties
}

/** An occurrence in the form of HubSpot's API; or the reason why the event cannot be sent. */
export type Occurrence =
  | { readonly body: Readonly<Record<string, unknown>>; readonly leftOut: readonly string[] }
  | { readonly problem: string }

/** Returns the occurrence of an event for `POST /events/v3/send/batch`. */
export const occurrenceOf = (event: OutgoingEvent, portal: string): Occurrence => {
  const payload = sendEvent.payloadOf(event)
  const eventName = fullNameOf(payload.event_name, portal)
  if (eventName === '') return { problem: 'The name of the event has no letters from a to z and no digits' }
  const identity = Object.entries({
    email: payload.email?.trim().toLowerCase(),
    utk: payload.utk?.trim(),
    objectId: payload.object_id?.trim(),
  }).filter(([, value]) => value !== undefined && value !== '')
  if (identity.length === 0) return { problem: 'The event has no email, no user token, and no record ID' }
  const leftOut: string[] = []
  const properties = propertiesOf(payload.properties ?? {}, leftOut)
  const occurredAt = payload.time
  const body = { eventName, ...Object.fromEntries(identity), occurredAt, properties, uuid: uuidOf(payload.message_id) }
  return { body, leftOut }
}
