import type { ConversionPlatform } from '@tributary/connector-kit'
import { anyOf } from '../../wire/conversions/person-places.ts'
import { eventPlaces as places, signalPlaces } from '../../wire/conversions/standard-events.ts'
import { oldestMs } from './event.ts'

/** The fields of every event: who did it, when, and where. */
export const commonFields = {
  client_id: anyOf('properties.client_id', 'context.browserIds.ga', 'properties.ga_client_id', 'context.ga_client_id'),
  ga_app_instance_id: anyOf('properties.app_instance_id', 'context.app_instance_id', 'context.app.instanceId'),
  ga_user_key: places.person,
  event_time: places.time,
  user_id: { type: 'FIELD', name: 'userId' },
  session_id: anyOf(
    'properties.ga_session_id',
    'context.browserIds.gaSession',
    'context.ga_session_id',
    'context.sessionId',
  ),
  page_location: places.url,
  page_referrer: places.referrer,
  page_title: { type: 'FIELD', name: 'context.page.title' },
  ga_ip_override: places.ip,
  ga_user_agent: places.userAgent,
  ga_language: { type: 'FIELD', name: 'context.locale' },
  ga_screen_width: { type: 'FIELD', name: 'context.screen.width' },
  ga_screen_height: { type: 'FIELD', name: 'context.screen.height' },
  ga_os_name: { type: 'FIELD', name: 'context.os.name' },
  ga_os_version: { type: 'FIELD', name: 'context.os.version' },
  ga_device_model: { type: 'FIELD', name: 'context.device.model' },
  ga_device_brand: { type: 'FIELD', name: 'context.device.manufacturer' },
  email: places.email,
  phone: places.phone,
  ad_user_data: places.consent,
  ad_personalization: places.consent,
} as const

/** The fields of products and their value. */
export const productFields = {
  value: places.total,
  price_of_one: places.price,
  currency: places.currency,
  items: places.products,
  coupon: { type: 'FIELD', name: 'properties.coupon' },
  affiliation: { type: 'FIELD', name: 'properties.affiliation' },
} as const

/** The fields of an order. */
const orderFields = {
  tax: { type: 'FIELD', name: 'properties.tax' },
  shipping: { type: 'FIELD', name: 'properties.shipping' },
  // A purchase without an order ID uses the message ID, so that it also counts only once.
  transaction_id: { type: 'TEMPLATE', value: '{{ properties.order_id | default: message_id }}' },
} as const

/** The sources in events of the fields of a conversion. */
export const fields = { ...commonFields, ...productFields, ...orderFields, search_term: places.query } as const

const { price_of_one: _price, ...withoutPrice } = fields

const signalFields = {
  ...withoutPrice,
  one_product: signalPlaces.product,
  client_id: signalPlaces.browserId('ga_client_id'),
  session_id: signalPlaces.browserId('ga_session_id'),
  event_time: signalPlaces.time,
  value: signalPlaces.value,
  currency: signalPlaces.currency,
  transaction_id: signalPlaces.eventId,
  ad_user_data: signalPlaces.consent,
  ad_personalization: signalPlaces.consent,
} as const

/**
 * The mapping of signals. It needs the client ID of the tag, or an ID of the person, of which a client ID is made ("Use
 * cases", server events). A refund names the transaction and the refunded value ("Recommended events", refund).
 */
export const conversions: ConversionPlatform = {
  platform: 'google_analytics',
  maxAgeMs: { online: oldestMs },
  action: 'send_event',
  eventName: 'event_name',
  eventId: { target: 'transaction_id', pixelParameter: 'transaction_id' },
  fields: signalFields,
  identifiers: {
    browser_id: { targets: ['client_id', 'ga_app_instance_id'], weight: 5 },
    external_id: { targets: ['user_id', 'ga_user_key'], weight: 2 },
    email: { targets: ['email'], weight: 2 },
    phone: { targets: ['phone'], weight: 1 },
  },
  needs: [['browser_id'], ['external_id']],
  refund: { action: 'send_event', eventName: 'refund', fields: {} },
  takesDenied: true,
}
