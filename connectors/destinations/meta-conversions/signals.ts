import type { ConversionPlatform } from '@tributary/connector-kit'
import { apiVersions, shownVersion } from '../../wire/conversions/api-version.ts'
import { eventPlaces as places, signalPlaces } from '../../wire/conversions/standard-events.ts'
import { oldestMs } from './conversion.ts'

const shared = {
  event_id: places.messageId,
  event_time: places.time,
  event_source_url: places.url,
  value: places.total,
  currency: places.currency,
  order_id: places.orderId,
  contents: places.products,
  search_string: places.query,
  em: places.email,
  ph: places.phone,
  external_id: places.person,
  fn: places.firstName,
  ln: places.lastName,
  ct: places.city,
  st: places.state,
  zp: places.postalCode,
  country: places.country,
  fbc: { type: 'FIELD', name: 'properties.fbc' },
  fbp: { type: 'FIELD', name: 'properties.fbp' },
  client_ip_address: places.ip,
  client_user_agent: places.userAgent,
  consent: places.consent,
} as const

/** The sources in events of the fields of a conversion. */
export const fields = { ...shared, price_of_one: places.price } as const

/**
 * The mapping of signals: "Best Practices" and "About event match quality" of the Conversions API name the most
 * important fields.
 */
export const conversions: ConversionPlatform = {
  platform: 'meta',
  maxAgeMs: { online: oldestMs.others, offline: oldestMs.store },
  action: 'send_conversion',
  eventName: 'event_name',
  eventId: { target: 'event_id', pixelParameter: 'eventID' },
  testCode: 'test_event_code',
  fields: {
    ...shared,
    one_product: signalPlaces.product,
    event_id: signalPlaces.eventId,
    event_time: signalPlaces.time,
    value: signalPlaces.value,
    currency: signalPlaces.currency,
    fbc: signalPlaces.clickId('fbc'),
    fbp: signalPlaces.browserId('fbp'),
    action_source: { type: 'FIELD', name: 'context.signal.action_source' },
    consent: signalPlaces.consent,
  },
  identifiers: {
    email: { targets: ['em'], weight: 2.5 },
    phone: { targets: ['ph'], weight: 1.5 },
    click_id: { targets: ['fbc'], weight: 2 },
    external_id: { targets: ['external_id'], weight: 1 },
    browser_id: { targets: ['fbp'], weight: 1 },
    ip_address: { targets: ['client_ip_address'], weight: 0.5 },
    user_agent: { targets: ['client_user_agent'], weight: 0.5 },
    name: { targets: ['fn', 'ln'], weight: 0.5 },
    address: { targets: ['ct', 'st', 'zp', 'country'], weight: 0.5 },
  },
  needs: [['email'], ['phone'], ['external_id'], ['click_id'], ['browser_id'], ['ip_address', 'user_agent']],
  apiVersion: shownVersion(apiVersions.meta),
}
