import type { ConversionPlatform } from '@tributary/connector-kit'
import { apiVersions, shownVersion } from '../../wire/conversions/api-version.ts'
import { anyOf, clickPlaces } from '../../wire/conversions/person-places.ts'
import { eventPlaces as places, signalPlaces } from '../../wire/conversions/standard-events.ts'
import { oldestMs } from './conversion.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const

/**
 * The sources of what only apps send, in the paths of mobile libraries ("Context fields" of the specification). Segment
 * reads the same ones (action-destinations, `facebook-conversions-api/shared/fields.ts`).
 */
const appFields = {
  madid: anyOf('context.device.advertisingId', 'context.madId'),
  advertiser_tracking_enabled: field('context.device.adTrackingEnabled'),
  os_name: field('context.os.name'),
  os_version: field('context.os.version'),
  app_package: field('context.app.namespace'),
  app_version: field('context.app.version'),
  app_build: field('context.app.build'),
  device_model: field('context.device.model'),
  locale: field('context.locale'),
  carrier: field('context.network.carrier'),
  screen_width: field('context.screen.width'),
  screen_height: field('context.screen.height'),
  screen_density: field('context.screen.density'),
  device_timezone: field('context.timezone'),
} as const

const shared = {
  event_id: places.messageId,
  event_time: places.time,
  event_source_url: places.url,
  value: places.total,
  currency: places.currency,
  order_id: places.orderId,
  contents: places.products,
  search_string: places.query,
  content_name: field('properties.content_name'),
  content_category: anyOf('properties.content_category', 'properties.category'),
  num_items: field('properties.num_items'),
  net_revenue: field('properties.net_revenue'),
  delivery_category: field('properties.delivery_category'),
  predicted_ltv: field('properties.predicted_ltv'),
  em: places.email,
  ph: places.phone,
  external_id: places.person,
  fn: places.firstName,
  ln: places.lastName,
  ct: places.city,
  st: places.state,
  zp: places.postalCode,
  country: places.country,
  ge: places.gender,
  db: places.birthday,
  fbc: clickPlaces.fbc,
  fbp: clickPlaces.fbp,
  lead_id: field('context.lead_id'),
  subscription_id: anyOf('properties.subscription_id', 'context.subscription_id'),
  ctwa_clid: field('properties.ctwa_clid'),
  anon_id: field('context.app.anonId'),
  fb_login_id: anyOf('properties.fb_login_id', 'context.fb_login_id'),
  partner_id: field('properties.partner_id'),
  partner_name: field('properties.partner_name'),
  client_ip_address: places.ip,
  client_user_agent: places.userAgent,
  ...appFields,
  consent: places.consent,
} as const

/** The sources in events of the fields of a conversion. */
export const fields = {
  ...shared,
  price_of_one: places.price,
  referrer_url: { ...places.referrer, since: 2 },
} as const

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
    action_source: field('context.signal.action_source'),
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
