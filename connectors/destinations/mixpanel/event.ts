import type { JsonObject } from '@tributary/connector-kit'
import { commonFields } from './fields.ts'
import { groupProperties } from './groups.ts'
import { distinctId, insertId, personOf } from './identity.ts'
import type { Made } from './operation.ts'
import { type ProfileChanges, profileChanges, profileFields } from './profile-changes.ts'
import type { MixpanelSettings } from './settings.ts'
import { userAgentProperties } from './user-agent.ts'

const text = (label: string, help: string) => ({ label, help, type: 'string', kind: 'context' }) as const

/** The fields of actions that add an event. */
export const trackFields = {
  event: {
    label: 'Event name',
    help: 'Name of the event in Mixpanel.',
    type: 'string',
    required: true,
    recommended: true,
    kind: 'event',
  },
  ...commonFields,
  properties: {
    label: 'Properties',
    help: 'The object of all properties. Up to 255 per event.',
    type: 'object',
    recommended: true,
    kind: 'property',
  },
  event_groups: {
    label: 'Groups',
    help: 'The ID of the group of the event, or a list. An object has IDs for several group keys, such as {"company": "acme"}.',
    type: 'any',
    kind: 'identity',
  },
  ip: text('IP address', 'Mixpanel derives city, region, and country from it.'),
  current_url: text('Page URL', 'Becomes $current_url.'),
  referrer: text('Referrer', 'Becomes $referrer.'),
  user_agent: text(
    'User agent',
    'Becomes user_agent. Mixpanel’s $browser, $browser_version, $os, and $device are read from it.',
  ),
  os: text('Operating system', 'Becomes $os.'),
  os_version: text('Operating system version', 'Becomes $os_version.'),
  device_model: text('Device model', 'Becomes $model.'),
  device_manufacturer: text('Device manufacturer', 'Becomes $manufacturer.'),
  app_version: text('App version', 'Becomes $app_version_string.'),
  library: text('Library', 'Becomes mp_lib.'),
  utm_source: text('Campaign source', 'Becomes utm_source.'),
  utm_medium: text('Campaign medium', 'Becomes utm_medium.'),
  utm_campaign: text('Campaign name', 'Becomes utm_campaign.'),
  utm_term: text('Campaign term', 'Becomes utm_term.'),
  utm_content: text('Campaign content', 'Becomes utm_content.'),
  ...profileFields,
} as const

/** Names of Mixpanel's own properties, by the names of fields. */
const propertyNames = {
  ip: 'ip',
  current_url: '$current_url',
  referrer: '$referrer',
  user_agent: 'user_agent',
  os: '$os',
  os_version: '$os_version',
  device_model: '$model',
  device_manufacturer: '$manufacturer',
  app_version: '$app_version_string',
  library: 'mp_lib',
  utm_source: 'utm_source',
  utm_medium: 'utm_medium',
  utm_campaign: 'utm_campaign',
  utm_term: 'utm_term',
  utm_content: 'utm_content',
} as const

/** The values of an action that adds an event. */
type TrackPayload = Readonly<Partial<Record<keyof typeof propertyNames, string>>> &
  ProfileChanges & {
    readonly event: string
    readonly user_id?: string
    readonly anonymous_id?: string
    readonly message_id: string
    readonly time: string
    readonly properties?: JsonObject
    readonly event_groups?: unknown
  }

/** Mixpanel, "Import Events": an event has fewer than 255 properties and less than 1 MB uncompressed. */
const limits = { properties: 254, bytes: 1024 * 1024 - 1 }

const mappedContext = (payload: TrackPayload): JsonObject =>
  Object.fromEntries(
    Object.entries(propertyNames).flatMap(([field, name]) => {
      const value = payload[field as keyof typeof propertyNames]
      return value === undefined || value === '' ? [] : [[name, value] as const]
    }),
  )

/** Returns page, device, and campaign of an event under Mixpanel's names; mapped values come before derived ones. */
export const contextOf = (payload: TrackPayload): JsonObject => ({
  ...userAgentProperties(payload.user_agent ?? ''),
  ...mappedContext(payload),
})

/** Returns the groups of an event as properties. */
export const eventGroups = ({ event_groups: groups }: TrackPayload, { group_key: key }: MixpanelSettings): JsonObject =>
  groupProperties(groups, key)

/** Returns the bytes of an event, or why it is too large for Mixpanel. */
export const sizeOf = (body: { event: string; properties: JsonObject }): { bytes: number } | { problem: string } => {
  const count = Object.keys(body.properties).length
  if (count > limits.properties)
    return { problem: `The event has ${count} properties; Mixpanel allows ${limits.properties}` }
  const bytes = Buffer.byteLength(JSON.stringify(body))
  return bytes > limits.bytes ? { problem: `The event has ${bytes} bytes; Mixpanel allows ${limits.bytes}` } : { bytes }
}

/**
 * Returns the event in Mixpanel's import format and the changes of the profile, or the reason why the event exceeds
 * Mixpanel's limits. Properties of the event come before those that are derived from the user agent and the groups. If
 * only the derived ones exceed a limit, they are left out.
 */
export const trackRecords = (payload: TrackPayload, custom: JsonObject, settings: MixpanelSettings): Made => {
  const bodyOf = (context: JsonObject) => ({
    event: payload.event,
    properties: {
      ...context,
      ...payload.properties,
      ...custom,
      ...personOf(payload, settings),
      time: Date.parse(payload.time),
      $insert_id: insertId(payload.message_id),
    },
  })
  const leftOut: string[] = []
  let body = bodyOf({ ...contextOf(payload), ...eventGroups(payload, settings) })
  let size = sizeOf(body)
  if ('problem' in size) {
    body = bodyOf(mappedContext(payload))
    size = sizeOf(body)
    if ('problem' in size) return size
    leftOut.push('groups, browser, and system: the event has too many properties or bytes')
  }
  const id = distinctId(payload, settings)
  const profile = { token: settings.project_token.trim(), id, ip: payload.ip ?? '', time: payload.time }
  const changes = profileChanges(payload, profile, leftOut)
  return { operations: [{ endpoint: 'import', body, bytes: size.bytes }, ...changes], leftOut }
}
