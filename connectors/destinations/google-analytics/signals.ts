import type { ConversionPlatform } from '@tributary/connector-kit'
import { eventPlaces as places, signalPlaces } from '../../wire/conversions/standard-events.ts'
import { oldestMs } from './event.ts'

/** The sources in events of the fields of a conversion. */
export const fields = {
  client_id: { type: 'TEMPLATE', value: '{{ properties.client_id | default: user_key }}' },
  event_time: places.time,
  user_id: { type: 'FIELD', name: 'userId' },
  session_id: { type: 'FIELD', name: 'properties.ga_session_id' },
  value: places.value,
  currency: places.currency,
  items: places.products,
  search_term: places.query,
  page_location: places.url,
  page_referrer: places.referrer,
  email: places.email,
  phone: places.phone,
  ad_user_data: places.consent,
  ad_personalization: places.consent,
  // A purchase without an order ID uses the message ID, so that it also counts only once.
  transaction_id: { type: 'TEMPLATE', value: '{{ properties.order_id | default: message_id }}' },
} as const

const signalFields = {
  ...fields,
  client_id: { type: 'TEMPLATE', value: '{{ context.signal.ga_client_id | default: user_key }}' },
  session_id: signalPlaces.browserId('ga_session_id'),
  event_time: signalPlaces.time,
  value: signalPlaces.value,
  currency: signalPlaces.currency,
  transaction_id: signalPlaces.eventId,
  ad_user_data: signalPlaces.consent,
  ad_personalization: signalPlaces.consent,
} as const

/** The mapping of signals. A refund names the transaction and the refunded value ("Recommended events", refund). */
export const conversions: ConversionPlatform = {
  platform: 'google_analytics',
  maxAgeMs: { online: oldestMs },
  action: 'send_event',
  eventName: 'event_name',
  eventId: { target: 'transaction_id', pixelParameter: 'transaction_id' },
  fields: signalFields,
  identifiers: {
    browser_id: { targets: ['client_id'], weight: 5 },
    external_id: { targets: ['user_id'], weight: 2 },
    email: { targets: ['email'], weight: 2 },
    phone: { targets: ['phone'], weight: 1 },
  },
  needs: [['browser_id']],
  refund: { action: 'send_event', eventName: 'refund', fields: {} },
  takesDenied: true,
}
