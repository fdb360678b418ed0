import { defineAction, type JsonObject, type OutgoingEvent } from '@tributary/connector-kit'
import { commonFields } from '../fields.ts'
import { insertId, personOf } from '../identity.ts'
import type { Made } from '../operation.ts'
import type { MixpanelSettings } from '../settings.ts'

const text = (label: string, help: string) => ({ label, help, type: 'string', kind: 'context' }) as const

export const track = defineAction({
  name: 'track',
  title: 'Track event',
  description: 'Adds an event with its properties to Mixpanel.',
  customTargets: true,
  fields: {
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
    ip: text('IP address', 'Mixpanel derives city, region, and country from it.'),
    current_url: text('Page URL', 'Becomes $current_url.'),
    referrer: text('Referrer', 'Becomes $referrer.'),
    user_agent: text('User agent', 'Becomes user_agent.'),
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
  },
})

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

/** Mixpanel, "Import Events": an event has fewer than 255 properties and less than 1 MB uncompressed. */
const limits = { properties: 254, bytes: 1024 * 1024 - 1 }

/** Returns the event in Mixpanel's import format, or the reason why it exceeds Mixpanel's limits. */
export const trackOperations = (outgoing: OutgoingEvent, settings: MixpanelSettings): Made => {
  const payload = track.payloadOf(outgoing)
  const context = Object.entries(propertyNames).flatMap(([field, name]) => {
    const value = payload[field as keyof typeof propertyNames]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  const properties: JsonObject = {
    ...Object.fromEntries(context),
    ...payload.properties,
    ...track.customOf(outgoing),
    ...personOf(payload, settings),
    time: Date.parse(payload.time),
    $insert_id: insertId(payload.message_id),
  }
  const count = Object.keys(properties).length
  if (count > limits.properties)
    return { problem: `The event has ${count} properties; Mixpanel allows ${limits.properties}` }
  const body = { event: payload.event, properties }
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes > limits.bytes) return { problem: `The event has ${bytes} bytes; Mixpanel allows ${limits.bytes}` }
  return { operations: [{ endpoint: 'import', body }] }
}
