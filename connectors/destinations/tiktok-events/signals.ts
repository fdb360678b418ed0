import type { ConversionPlatform } from '@tributary/connector-kit'
import { apiVersions, shownVersion } from '../../wire/conversions/api-version.ts'
import { anyOf, clickPlaces } from '../../wire/conversions/person-places.ts'
import { eventPlaces as places, signalPlaces } from '../../wire/conversions/standard-events.ts'
import { oldestMs } from './conversion.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const

const shared = {
  event_id: places.messageId,
  event_time: places.time,
  value: places.total,
  currency: places.currency,
  order_id: places.orderId,
  contents: places.products,
  query: places.query,
  description: field('properties.description'),
  num_items: field('properties.num_items'),
  shop_id: anyOf('properties.shop_id', 'properties.shopId'),
  predicted_ltv: field('properties.predicted_ltv'),
  delivery_category: field('properties.delivery_category'),
  email: places.email,
  phone: places.phone,
  external_id: places.person,
  first_name: places.firstName,
  last_name: places.lastName,
  zip_code: places.postalCode,
  city: places.city,
  state: places.state,
  country: places.country,
  ttclid: clickPlaces.ttclid,
  ttp: clickPlaces.ttp,
  lead_id: anyOf('properties.lead_id', 'context.lead_id'),
  lead_event_source: field('properties.lead_event_source'),
  search_string: field('properties.search_string'),
  app_id: field('context.app.namespace'),
  app_name: field('context.app.name'),
  app_version: field('context.app.version'),
  device_type: anyOf('context.device.type', 'context.os.name'),
  device_version: field('context.os.version'),
  advertising_id: anyOf('context.device.advertisingId', 'context.madId'),
  device_id: field('context.device.id'),
  tracking_allowed: field('context.device.adTrackingEnabled'),
  locale: field('context.locale'),
  ip: places.ip,
  user_agent: places.userAgent,
  page_url: places.url,
  page_referrer: places.referrer,
  consent: places.consent,
} as const

/** The sources in events of the fields of a conversion. */
export const fields = { ...shared, price_of_one: places.price } as const

/** The mapping of signals: "Event match quality score" of the Events API names the most important fields. */
export const conversions: ConversionPlatform = {
  platform: 'tiktok',
  maxAgeMs: { online: oldestMs },
  action: 'send_conversion',
  eventName: 'event_name',
  eventId: { target: 'event_id', pixelParameter: 'event_id' },
  testCode: 'test_event_code',
  fields: {
    ...shared,
    one_product: signalPlaces.product,
    event_id: signalPlaces.eventId,
    event_time: signalPlaces.time,
    value: signalPlaces.value,
    currency: signalPlaces.currency,
    event_source: field('context.signal.event_source'),
    ttclid: signalPlaces.clickId('ttclid'),
    ttp: signalPlaces.browserId('ttp'),
    consent: signalPlaces.consent,
  },
  identifiers: {
    email: { targets: ['email'], weight: 2.5 },
    phone: { targets: ['phone'], weight: 2 },
    click_id: { targets: ['ttclid'], weight: 2 },
    external_id: { targets: ['external_id'], weight: 1 },
    browser_id: { targets: ['ttp'], weight: 1 },
    ip_address: { targets: ['ip'], weight: 0.5 },
    user_agent: { targets: ['user_agent'], weight: 0.5 },
    name: { targets: ['first_name', 'last_name'], weight: 0.25 },
    address: { targets: ['zip_code', 'city', 'state', 'country'], weight: 0.25 },
  },
  needs: [['email'], ['phone'], ['external_id'], ['click_id'], ['browser_id'], ['ip_address', 'user_agent']],
  apiVersion: shownVersion(apiVersions.tiktok),
}
