import type { ConversionPlatform } from '@tributary/connector-kit'
import { apiVersions, shownVersion } from '../../wire/conversions/api-version.ts'
import { anyOf, clickPlaces } from '../../wire/conversions/person-places.ts'
import { eventPlaces as places, signalPlaces } from '../../wire/conversions/standard-events.ts'
import { oldestMs } from './conversion.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const

/** The sources in events of the fields of a conversion. */
export const fields = {
  transaction_id: { type: 'TEMPLATE', value: '{{ properties.order_id | default: message_id }}' },
  event_time: places.time,
  value: places.value,
  currency: places.currency,
  items: places.products,
  gclid: clickPlaces.gclid,
  gbraid: clickPlaces.gbraid,
  wbraid: clickPlaces.wbraid,
  page_url: places.url,
  email: places.email,
  phone: places.phone,
  first_name: places.firstName,
  last_name: places.lastName,
  country: places.country,
  postal_code: places.postalCode,
  discount: field('properties.discount'),
  coupon: field('properties.coupon'),
  session_attributes: anyOf('properties.session_attributes', 'context.session_attributes'),
  mobile_device_id: anyOf('context.device.advertisingId', 'context.madId'),
  ip_address: places.ip,
  user_agent: places.userAgent,
  locale: field('context.locale'),
  screen_width: field('context.screen.width'),
  screen_height: field('context.screen.height'),
  os_name: field('context.os.name'),
  os_version: field('context.os.version'),
  device_model: field('context.device.model'),
  device_brand: field('context.device.manufacturer'),
  ad_user_data: places.consent,
  ad_personalization: places.consent,
} as const

/** The sources in events of the fields of a retraction. */
export const retraction = {
  adjustment_type: { type: 'CONSTANT', value: 'retraction' },
  transaction_id: field('properties.order_id'),
  adjustment_time: places.time,
} as const

const signalFields = {
  ...fields,
  one_product: signalPlaces.product,
  transaction_id: signalPlaces.eventId,
  event_time: signalPlaces.time,
  value: signalPlaces.value,
  currency: signalPlaces.currency,
  gclid: signalPlaces.clickId('gclid'),
  gbraid: signalPlaces.clickId('gbraid'),
  wbraid: signalPlaces.clickId('wbraid'),
  event_source: field('context.signal.event_source'),
  ad_user_data: signalPlaces.consent,
  ad_personalization: signalPlaces.consent,
} as const

/** Google takes an address only with all of these parts ("AddressInfo"). */
const addressParts = ['first_name', 'last_name', 'country', 'postal_code']

/**
 * The mapping of signals: by click ID, by enhanced conversions (email, phone, address), or both. A refund replaces the
 * value of the conversion.
 */
export const conversions: ConversionPlatform = {
  platform: 'google_ads',
  maxAgeMs: { online: oldestMs.click },
  action: 'upload_conversion',
  eventName: 'conversion_action_id',
  eventId: { target: 'transaction_id', pixelParameter: 'transaction_id' },
  fields: signalFields,
  identifiers: {
    click_id: { targets: ['gclid', 'gbraid', 'wbraid'], weight: 4 },
    email: { targets: ['email'], weight: 3 },
    phone: { targets: ['phone'], weight: 2 },
    name: { targets: ['first_name', 'last_name'], weight: 0.5, together: addressParts },
    address: { targets: ['country', 'postal_code'], weight: 0.5, together: addressParts },
  },
  needs: [['click_id'], ['email'], ['phone'], ['name', 'address']],
  refund: {
    action: 'adjust_conversion',
    restates: true,
    fields: { event_time: field('context.signal.conversion_time'), value: field('context.signal.remaining_value') },
  },
  apiVersion: shownVersion(apiVersions.google),
}
