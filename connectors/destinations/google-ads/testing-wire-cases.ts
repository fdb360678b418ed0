import { createHash } from 'node:crypto'
import { rowsFrom, type WireCases } from '@tributary/connector-kit/testing-wire'
import { adsActionCases, adsRecordOf, adsTime } from './ads-api/testing-wire-rows.ts'
import { googleAds } from './definition.ts'
import { conversionAction, createGoogleAds, token } from './testing-google-ads.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const agent = 'Mozilla/5.0 (X11)'
const gclid = 'Cj0KCQjwtest_0123456789-abcdef'
const mobileId = '6D92078A-8246-4BA4-AE5B-76104861E7DC'

const protos = 'github.com/googleapis/googleapis, google/ads/datamanager/v1'
const event = `${protos}/event.proto, Event`
const cart = `${protos}/cart_data.proto, CartData`
const device = `${protos}/device_info.proto, DeviceInfo`
const ad = `${protos}/event.proto, AdIdentifiers`
const person = 'github.com/googleads/data-manager-java, UserDataFormatterTest.java'
const userData = `${protos}/user_data.proto, UserIdentifier`

/** The hashes of `testHashString_validInputs`, in lower case. */
const email = '509e933019bb285a134a9334b8bb679dff79d0ce023d529af4bd744d47b4fd8a'
const phone = 'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30'

const address = { first_name: 'Alex', last_name: 'Quinn', country: 'us', postal_code: '94045' }
const withAddress = { beside: address }
const identifiers = 'userData.userIdentifiers'
const inAddress = `${identifiers}.1.address`
const noClick = { beside: { gclid: '' } }

const products = [{ product_id: 'p1', price: 10, quantity: 2 }]
const items = [{ merchantProductId: 'p1', quantity: 2, unitPrice: 10 }]
const inCart = { beside: { items: products } }

const shared = [
  ...rowsFrom(event, [
    ['transaction_id', 'ABC1234567', 'transactionId', 'ABC1234567'],
    ['event_time', minuteAgo, 'eventTimestamp', minuteAgo],
    ['value', '5.31', 'conversionValue', 5.31],
    ['currency', 'usd', 'currency', 'USD'],
    ['user_agent', agent, 'eventDeviceInfo.userAgent', agent],
    ['ad_user_data', false, '^outcome.kind', 'skipped'],
    ['ad_user_data', true, 'consent.adUserData', 'CONSENT_GRANTED'],
    ['ad_personalization', false, 'consent.adPersonalization', 'CONSENT_DENIED'],
  ]),
  ...rowsFrom(`${protos}/destination.proto, Destination`, [
    ['conversion_action_id', '7012345679', '^body.destinations.0.productDestinationId', '7012345679'],
    ['settings.conversion_action_id', '7012345679', '^body.destinations.0.productDestinationId', '7012345679'],
    ['settings.validate_only', true, '^body.validateOnly', true],
  ]),
  ...rowsFrom(ad, [
    ['gclid', gclid, 'adIdentifiers.gclid', gclid],
    ['gbraid', gclid, 'adIdentifiers.gbraid', gclid, noClick],
    ['wbraid', gclid, 'adIdentifiers.wbraid', gclid, noClick],
    ['page_url', `https://shop.example/?gclid=${gclid}`, 'adIdentifiers.gclid', gclid, noClick],
  ]),
  ...rowsFrom(person, [
    ['email', '  ALEXZ@example.com   ', `${identifiers}.0.emailAddress`, email],
    ['phone', '   +1-800-555-0100', `${identifiers}.1.phoneNumber`, phone],
    ['first_name', ' Mrs. Alex   ', `${inAddress}.givenName`, sha256('alex'), withAddress],
    ['last_name', ' Quinn Sr.  ', `${inAddress}.familyName`, sha256('quinn'), withAddress],
    ['country', '  us  ', `${inAddress}.regionCode`, 'US', withAddress],
    ['postal_code', ' 94045  ', `${inAddress}.postalCode`, '94045', withAddress],
  ]),
]

const ofUpload = [
  ...rowsFrom(event, [
    ['event_source', 'in_store', 'eventSource', 'IN_STORE'],
    ['event_source', 'message', 'eventSource', 'MESSAGE'],
    ['event_source', 'phone', 'eventSource', 'PHONE'],
    ['conversion_count', '2', 'conversionCount', 2],
    ['custom_variables', { season: 'spring' }, 'customVariables', [{ variable: 'season', value: 'spring' }]],
    ['customer_type', 'returning', 'userProperties.customerType', 'RETURNING'],
    ['customer_value', 'high', 'userProperties.customerValueBucket', 'HIGH'],
    ['store_id', 'store-1', 'eventLocation.storeId', 'store-1'],
  ]),
  ...rowsFrom(cart, [
    ['items', products, 'cartData.items', items],
    ['items', products, 'cartData.items.0.merchantProductId', 'p1', { item: 'product_id' }],
    ['items', products, 'cartData.items.0.quantity', 2, { item: 'quantity' }],
    ['items', products, 'cartData.items.0.unitPrice', 10, { item: 'price' }],
    ['one_product', { ...products[0], name: 'Shoe' }, 'cartData.items', items],
    ['merchant_id', '123', 'cartData.merchantId', '123', inCart],
    ['merchant_feed_label', 'US', 'cartData.merchantFeedLabel', 'US', inCart],
    ['merchant_feed_language', 'en', 'cartData.merchantFeedLanguageCode', 'en', inCart],
    ['discount', '1.5', 'cartData.transactionDiscount', 1.5],
    ['coupon', ['SPRING', 'SUMMER'], 'cartData.couponCodes', ['SPRING', 'SUMMER']],
  ]),
  ...rowsFrom(device, [
    ['ip_address', '192.0.2.71', 'eventDeviceInfo.ipAddress', '192.0.2.71', { beside: { country: 'US' } }],
    ['device_category', 'mobile', 'eventDeviceInfo.category', 'mobile'],
    ['locale', 'en-US', 'eventDeviceInfo.languageCode', 'en'],
    ['screen_width', '390', 'eventDeviceInfo.screenWidth', 390],
    ['screen_height', '844', 'eventDeviceInfo.screenHeight', 844],
    ['os_name', 'iOS', 'eventDeviceInfo.operatingSystem', 'iOS'],
    ['os_version', '17.4', 'eventDeviceInfo.operatingSystemVersion', '17.4'],
    ['device_model', 'iPhone14,5', 'eventDeviceInfo.model', 'iPhone14,5'],
    ['device_brand', 'Apple', 'eventDeviceInfo.brand', 'Apple'],
    ['browser', 'Safari', 'eventDeviceInfo.browser', 'Safari'],
    ['browser_version', '17.4', 'eventDeviceInfo.browserVersion', '17.4'],
  ]),
  ...rowsFrom(ad, [
    ['session_attributes', 'eyJnYWRfc291cmNlIjoiMSJ9', 'adIdentifiers.sessionAttributes', 'eyJnYWRfc291cmNlIjoiMSJ9'],
    ['mobile_device_id', mobileId, 'adIdentifiers.mobileDeviceId', mobileId],
    ['landing_user_agent', agent, 'adIdentifiers.landingPageDeviceInfo.userAgent', agent],
    [
      'landing_ip_address',
      '192.0.2.71',
      'adIdentifiers.landingPageDeviceInfo.ipAddress',
      '192.0.2.71',
      { beside: { country: 'US' } },
    ],
  ]),
  ...rowsFrom(userData, [
    ['email', ['alexz@example.com', 'alex@example.org'], `${identifiers}.1.emailAddress`, sha256('alex@example.org')],
  ]),
]

const base = {
  transaction_id: 'o-1',
  event_time: minuteAgo,
  value: 25.5,
  currency: 'EUR',
  gclid,
  email: 'ada@example.com',
}

export const wireCases: WireCases = {
  definition: googleAds,
  origins: ['https://datamanager.googleapis.com', 'https://googleads.googleapis.com'],
  settings: {
    google_ads_api: true,
    customer_id: '123-456-7890',
    conversion_action_id: conversionAction,
    client_id: 'client',
    client_secret: 'GOCSPX-0123456789',
  },
  vendor: () => createGoogleAds().answer,
  accessToken: async () => token,
  record: (asked) => (asked.at(-1)?.body as { events?: unknown[] } | undefined)?.events?.[0] ?? adsRecordOf(asked),
  actions: {
    upload_conversion: { base, rows: [...shared, ...ofUpload] },
    adjust_conversion: { base, rows: shared },
    ...adsActionCases,
  },
  // The event and its properties: "Order Completed" and "Context" of the specification of track calls.
  common: {
    event: {
      timestamp: minuteAgo,
      properties: {
        order_id: 'o-1',
        revenue: 25,
        currency: 'EUR',
        discount: 1.5,
        coupon: 'SPRING',
        session_attributes: 'eyJnYWRfc291cmNlIjoiMSJ9',
        products,
      },
      context: {
        ip: '192.0.2.71',
        userAgent: agent,
        locale: 'en-US',
        page: { url: 'https://shop.example/thanks' },
        clickIds: { gclid, gbraid: gclid, wbraid: gclid },
        traits: {
          email: 'alexz@example.com',
          phone: '+1 800-555-0100',
          firstName: 'Alex',
          lastName: 'Quinn',
          address: { postalCode: '94045', country: 'US' },
        },
        screen: { width: 390, height: 844 },
        os: { name: 'iOS', version: '17.4' },
        device: { model: 'iPhone14,5', manufacturer: 'Apple', advertisingId: mobileId },
        consent: { categoryPreferences: { advertising: true } },
      },
    },
    places: {
      email: `${identifiers}.0.emailAddress`,
      phone: `${identifiers}.1.phoneNumber`,
      first_name: `${identifiers}.2.address.givenName`,
      last_name: `${identifiers}.2.address.familyName`,
      country: `${identifiers}.2.address.regionCode`,
      postal_code: `${identifiers}.2.address.postalCode`,
      ad_user_data: 'consent.adUserData',
    },
    sent: {
      transaction_id: 'o-1',
      event_time: minuteAgo,
      value: 25,
      currency: 'EUR',
      items,
      gclid,
      email,
      phone,
      first_name: sha256('alex'),
      last_name: sha256('quinn'),
      country: 'US',
      postal_code: '94045',
      discount: 1.5,
      coupon: ['SPRING'],
      session_attributes: 'eyJnYWRfc291cmNlIjoiMSJ9',
      mobile_device_id: mobileId,
      ip_address: '192.0.2.71',
      user_agent: agent,
      locale: 'en',
      screen_width: 390,
      screen_height: 844,
      os_name: 'iOS',
      os_version: '17.4',
      device_model: 'iPhone14,5',
      device_brand: 'Apple',
      ad_user_data: 'CONSENT_GRANTED',
      ad_personalization: 'CONSENT_GRANTED',
    },
    apart: {
      gbraid: 'Google refuses a conversion with two click IDs',
      wbraid: 'Google refuses a conversion with two click IDs',
      page_url: 'only click IDs are read from it, and the event has one',
    },
  },
  presets: {
    'Order Completed': {},
    'Order Refunded': {
      sent: { adjustment_type: 'RETRACTION', transaction_id: 'o-1', adjustment_time: adsTime(minuteAgo) },
    },
  },
}
