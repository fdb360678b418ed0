import { createHash } from 'node:crypto'
import { rowsFrom, type WireCases, type WirePreset } from '@tributary/connector-kit/testing-wire'
import { tiktokEvents } from './definition.ts'
import { app, createTikTok, crmEventSet, offlineEventSet, pixel, token } from './testing-tiktok.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const agent = 'Mozilla/5.0 (X11)'
const idfa = '6D92078A-8246-4BA4-AE5B-76104861E7DC'
const page = { url: 'http://demo.mywebsite.com/purchase', referrer: 'http://demo.mywebsite.com/' }

const payload = '"Event payload", business-api.tiktok.com/portal/docs?id=1771100779668482'
const parameters = '"About parameters", ads.tiktok.com/help/article/about-parameters'
const template = 'github.com/tiktok/gtm-template-eapi, template.js'
const segment = 'github.com/segmentio/action-destinations, destinations'
const ofWeb = `${segment}/tiktok-conversions/reportWebEvent/utils.ts`
const ofApp = `${segment}/tiktok-app-events/reportAppEvent/utils.ts`
const ofStore = `${segment}/tiktok-offline-conversions/utils.ts`

const products = [
  { product_id: '1077218', name: 'shirt', brand: 'B', category: 'Clothes', price: 100, quantity: 2 },
  { product_id: '1197218', name: 'hat', price: 5, quantity: 1 },
]
const contents = [
  {
    content_type: 'product',
    content_id: '1077218',
    content_name: 'shirt',
    content_category: 'Clothes',
    brand: 'B',
    price: 100,
    quantity: 2,
  },
  { content_type: 'product', content_id: '1197218', content_name: 'hat', price: 5, quantity: 1 },
]

const inApp = { beside: { event_source: 'app', app_id: '1234567890', device_type: 'ios' } }
const onAndroid = { beside: { ...inApp.beside, device_type: 'android' } }
const inCrm = { beside: { event_source: 'crm' } }
const content = (name: string, item: string, sent: unknown) =>
  ['contents', products, `properties.contents.0.${name}`, sent, { item }] as const

const rows = [
  ...rowsFrom(payload, [
    ['event_name', 'Purchase', 'event', 'Purchase'],
    ['event_id', '1616318632825_357', 'event_id', '1616318632825_357'],
    ['event_time', minuteAgo, 'event_time', Math.floor(Date.parse(minuteAgo) / 1000)],
    ['event_source', 'offline', '^body.event_source', 'offline'],
    ['event_source', 'crm', '^body.event_source', 'crm'],
    [
      'settings.offline_event_set_id',
      offlineEventSet,
      '^body.event_source_id',
      offlineEventSet,
      { beside: { event_source: 'offline' }, settings: { offline_event_set_id: 'another' } },
    ],
    [
      'settings.crm_event_set_id',
      crmEventSet,
      '^body.event_source_id',
      crmEventSet,
      { beside: { event_source: 'crm' }, settings: { crm_event_set_id: 'another' } },
    ],
    [
      'settings.tiktok_app_id',
      app,
      '^body.event_source_id',
      app,
      { beside: { event_source: 'app', app_id: '1' }, settings: { tiktok_app_id: 'another' } },
    ],
    ['settings.test_event_code', 'TEST1', '^body.test_event_code', 'TEST1'],
    ['test_event_code', 'TEST1', '^body.test_event_code', 'TEST1'],
    ['email', ' Alice@Example.com ', 'user.email', sha256('alice@example.com')],
    ['phone', '+1 650 555 1234', 'user.phone', sha256('+16505551234')],
    ['external_id', 'u1', 'user.external_id', sha256('u1')],
    ['ttclid', 'E.C.P.abc', 'user.ttclid', 'E.C.P.abc'],
    ['ttp', '94e2a4j9-h3ss-k2h5-98cc-c84n745mk098', 'user.ttp', '94e2a4j9-h3ss-k2h5-98cc-c84n745mk098'],
    ['ip', '13.57.97.131', 'user.ip', '13.57.97.131'],
    ['user_agent', 'Chrome/91.0.4472.124', 'user.user_agent', 'Chrome/91.0.4472.124'],
    ['page_url', page.url, 'page.url', page.url],
    ['page_referrer', page.referrer, 'page.referrer', page.referrer],
    ['value', '100', 'properties.value', 100],
    ['currency', 'usd', 'properties.currency', 'USD'],
    ['description', 'Spring sale', 'properties.description', 'Spring sale'],
    ['query', 'red shoes', 'properties.query', 'red shoes'],
  ]),
  ...rowsFrom(parameters, [
    ['contents', products, 'properties.contents', contents],
    content('content_id', 'content_id', '1077218'),
    content('content_name', 'content_name', 'shirt'),
    content('content_category', 'content_category', 'Clothes'),
    content('brand', 'brand', 'B'),
    content('price', 'price', 100),
    content('quantity', 'quantity', 2),
    ['one_product', products[0], 'properties.contents', contents.slice(0, 1)],
    ['price_of_one', 100, 'properties.value', 200, { beside: { one_product: products[0], value: '' } }],
    ['content_type', 'product_group', 'properties.content_type', 'product_group'],
    ['content_ids', ['1077218'], 'properties.content_ids', ['1077218']],
    ['num_items', '3', 'properties.num_items', 3],
    ['order_id', 'o-1', 'properties.order_id', 'o-1'],
    ['search_string', 'SAVE10', 'properties.search_string', 'SAVE10'],
  ]),
  ...rowsFrom(template, [
    [
      'content_type',
      'product_group',
      'properties.contents.0.content_type',
      'product_group',
      { beside: { contents: products }, item: 'content_type' },
    ],
  ]),
  ...rowsFrom(ofWeb, [
    ['first_name', 'Alice', 'user.first_name', sha256('alice')],
    ['last_name', 'Miller', 'user.last_name', sha256('miller')],
    ['zip_code', '94035', 'user.zip_code', sha256('94035')],
    ['city', 'New York', 'user.city', 'newyork'],
    ['state', 'NY', 'user.state', 'ny'],
    ['country', 'US', 'user.country', 'us'],
    ['locale', 'de-DE', 'user.locale', 'de-DE'],
    ['shop_id', 'shop-1', 'properties.shop_id', 'shop-1'],
    ['predicted_ltv', '120.5', 'properties.predicted_ltv', 120.5],
    ['delivery_category', 'home_delivery', 'properties.delivery_category', 'home_delivery'],
    ['lead_id', '7123456789', 'lead.lead_id', '7123456789', inCrm],
    ['lead_event_source', 'HubSpot', 'lead.lead_event_source', 'HubSpot', inCrm],
    ['travel', { checkin_date: '2026-11-29' }, 'properties.checkin_date', '2026-11-29'],
    ['vehicle', { body_style: 'suv' }, 'properties.body_style', 'SUV'],
    ['limited_data_use', true, 'limited_data_use', true],
    ['settings.limited_data_use', true, 'limited_data_use', true],
  ]),
  ...rowsFrom(ofStore, [
    ['lead_id', '7123456789', 'user.lead_id', '7123456789', { beside: { event_source: 'offline' } }],
  ]),
  ...rowsFrom(ofApp, [
    ['event_source', 'app', '^body.event_source', 'app', { beside: { app_id: '1234567890' } }],
    ['app_id', '1234567890', 'app.app_id', '1234567890', { beside: { event_source: 'app' } }],
    ['app_name', 'Shop', 'app.app_name', 'Shop', inApp],
    ['app_version', '1.0', 'app.app_version', '1.0', inApp],
    ['device_type', 'iOS', 'user.idfv', idfa, { beside: { ...inApp.beside, device_id: idfa } }],
    [
      'device_version',
      '13.7',
      'user.att_status',
      'NOT_APPLICABLE',
      { beside: { ...inApp.beside, tracking_allowed: true } },
    ],
    ['advertising_id', idfa, 'user.idfa', sha256(idfa.toLowerCase()), inApp],
    [
      'advertising_id',
      '38400000-8cf0-11bd-b23e-10b96e40000d',
      'user.gaid',
      sha256('38400000-8cf0-11bd-b23e-10b96e40000d'),
      onAndroid,
    ],
    ['device_id', idfa, 'user.idfv', idfa, inApp],
    ['tracking_allowed', true, 'user.att_status', 'AUTHORIZED', inApp],
    ['att_status', 'RESTRICTED', 'user.att_status', 'RESTRICTED', inApp],
    ['ad', { campaign_id: 'c1', attributed: true }, 'ad', { campaign_id: 'c1', attributed: true }, inApp],
  ]),
  ...rowsFrom('consent of the event: docs/conversions.md', [['consent', 'denied', '^outcome.kind', 'skipped']]),
]

/** Returns the case of an event whose properties are those of one product. */
const ofPiece = (event_name: string): WirePreset => ({
  event: { properties: { ...products[0], products: undefined } },
  sent: { event_name, one_product: contents.slice(0, 1) },
  apart: { contents: 'an event of one product has no list' },
})

const onlyOfApps = 'an event of the web has no data of an app'
const appFields = ['app_id', 'app_name', 'app_version', 'device_type', 'device_version', 'advertising_id', 'device_id']
const apart = Object.fromEntries([...appFields, 'tracking_allowed'].map((name) => [name, onlyOfApps]))

/** Returns the case of an event that only apps have. */
const ofInstalled = (event_name: string): WirePreset => ({
  sent: {
    event_name,
    event_source: 'app',
    app_id: 'com.example.shop',
    app_name: 'Shop',
    app_version: '1.0',
    advertising_id: sha256(idfa.toLowerCase()),
    device_type: 'A1B2',
    device_id: 'A1B2',
    device_version: 'AUTHORIZED',
    tracking_allowed: 'AUTHORIZED',
  },
})

export const wireCases: WireCases = {
  definition: tiktokEvents,
  origins: ['https://business-api.tiktok.com'],
  settings: {
    pixel_code: pixel,
    access_token: token,
    tiktok_app_id: app,
    offline_event_set_id: offlineEventSet,
    crm_event_set_id: crmEventSet,
  },
  vendor: () => createTikTok().answer,
  record: 'body.data.0',
  actions: {
    send_conversion: {
      base: {
        event_name: 'CompletePayment',
        event_id: 'o-1',
        event_time: minuteAgo,
        value: 25.5,
        currency: 'EUR',
        email: 'ada@example.com',
      },
      rows,
    },
  },
  // The events and their properties: "Ecommerce events" and "Context" of the specification of track calls.
  common: {
    event: {
      timestamp: minuteAgo,
      properties: {
        order_id: 'o-1',
        revenue: 25,
        currency: 'EUR',
        query: 'red shoes',
        search_string: 'SAVE10',
        description: 'Spring sale',
        num_items: 3,
        shop_id: 'shop-1',
        predicted_ltv: 120.5,
        delivery_category: 'home_delivery',
        lead_id: '7123456789',
        lead_event_source: 'HubSpot',
        price: 25,
        products,
      },
      context: {
        ip: '192.0.2.71',
        userAgent: agent,
        locale: 'de-DE',
        page,
        clickIds: { ttclid: 'E.C.P.abc' },
        browserIds: { ttp: '94e2a4j9' },
        traits: {
          email: 'Alice@Example.com',
          phone: '+1 650 555 1234',
          firstName: 'Alice',
          lastName: 'Miller',
          address: { city: 'New York', state: 'NY', postalCode: '94035', country: 'US' },
        },
        device: { type: 'ios', id: 'A1B2', advertisingId: idfa, adTrackingEnabled: true },
        os: { name: 'iOS', version: '17.4' },
        app: { namespace: 'com.example.shop', name: 'Shop', version: '1.0' },
        consent: { categoryPreferences: { advertising: true } },
      },
    },
    sent: {
      event_id: 'm-1',
      event_time: Math.floor(Date.parse(minuteAgo) / 1000),
      value: 25,
      currency: 'EUR',
      order_id: 'o-1',
      contents,
      query: 'red shoes',
      search_string: 'SAVE10',
      description: 'Spring sale',
      num_items: 3,
      shop_id: 'shop-1',
      predicted_ltv: 120.5,
      delivery_category: 'home_delivery',
      email: sha256('alice@example.com'),
      phone: sha256('+16505551234'),
      external_id: sha256('u1'),
      first_name: sha256('alice'),
      last_name: sha256('miller'),
      zip_code: sha256('94035'),
      city: 'newyork',
      state: 'ny',
      country: 'us',
      ttclid: 'E.C.P.abc',
      ttp: '94e2a4j9',
      locale: 'de-DE',
      ip: '192.0.2.71',
      user_agent: agent,
      page_url: page.url,
      page_referrer: page.referrer,
    },
    apart: {
      consent: 'TikTok has no field for it; without consent, nothing is sent',
      price_of_one: 'counts only for an event without a value',
      lead_id: 'only an event of a store or a CRM has a lead',
      lead_event_source: 'only an event of a CRM has a lead',
      ...apart,
    },
  },
  presets: {
    'Order Completed': { sent: { event_name: 'Purchase' } },
    'Product Added': ofPiece('AddToCart'),
    'Checkout Started': { sent: { event_name: 'InitiateCheckout' } },
    'Payment Info Entered': { sent: { event_name: 'AddPaymentInfo' } },
    'Product Viewed': ofPiece('ViewContent'),
    'Products Searched': { sent: { event_name: 'Search' } },
    'Product Added to Wishlist': ofPiece('AddToWishlist'),
    'Signed Up': { sent: { event_name: 'CompleteRegistration' } },
    'Lead Generated': { sent: { event_name: 'Lead' } },
    'Lead Created': { sent: { event_name: 'Lead' } },
    'Subscription Created': { sent: { event_name: 'Subscribe' } },
    'Trial Started': { sent: { event_name: 'StartTrial' } },
    'Contact Form Submitted': { sent: { event_name: 'Contact' } },
    'Callback Started': { sent: { event_name: 'Contact' } },
    'Form Submitted': { sent: { event_name: 'Lead' } },
    'Product Clicked': ofPiece('ClickButton'),
    'Order Placed': { sent: { event_name: 'PlaceAnOrder' } },
    'Download Link Clicked': { sent: { event_name: 'Download' } },
    'Appointment Scheduled': { sent: { event_name: 'Schedule' } },
    'Store Location Searched': { sent: { event_name: 'FindLocation' } },
    'Product Customized': ofPiece('CustomizeProduct'),
    'Application Submitted': { sent: { event_name: 'SubmitApplication' } },
    'Application Installed': ofInstalled('InstallApp'),
    'Application Opened': ofInstalled('LaunchAPP'),
    'Signed In': ofInstalled('Login'),
    'Checkout Step Completed': { sent: { event_name: 'Purchase' } },
    '(page)': { sent: { event_name: 'Pageview' } },
  },
}
