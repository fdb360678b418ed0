import { createHash } from 'node:crypto'
import { rowsFrom, type WireCases, type WirePreset } from '@tributary/connector-kit/testing-wire'
import { metaConversions } from './definition.ts'
import { createMetaConversions, pixel, token } from './testing-meta-conversions.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const agent = 'Mozilla/5.0 (X11)'
const page = 'https://shop.example/thanks'

const pages = 'developers.facebook.com/documentation/ads-commerce/conversions-api/parameters'
const server = `${pages}/server-event`
const person = `${pages}/customer-information-parameters`
const custom = `${pages}/custom-data`
const ofApp = `${pages}/app-data`
const fbcAndFbp = `${pages}/fbp-and-fbc`
const business = 'github.com/facebook/facebook-nodejs-business-sdk, src/objects/serverside'
const dataProcessing =
  'developers.facebook.com/documentation/ads-commerce/conversions-api/guides/data-processing-options'

const email = '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f'
const phone = 'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176'
const firstName = '6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec'
const lastName = '08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c'
const fbc = 'fb.1.1554763741205.AbCdEfGhIjKlMnOpQrStUvWxYz1234567890'
const fbp = 'fb.1.1558571054389.1098115397'
const products = [
  { product_id: 'p1', name: 'Shoe', brand: 'B', category: 'Shoes', price: 10, quantity: 2 },
  { product_id: 'p2', price: 5, quantity: 1 },
]
const contents = [
  { id: 'p1', item_price: 10, quantity: 2 },
  { id: 'p2', item_price: 5, quantity: 1 },
]

const app = { action_source: 'app', advertiser_tracking_enabled: true, os_name: 'iOS', os_version: '13.4.1' }
const inApp = { beside: app }
const limited = { beside: { limited_data_use: true } }
const chat = { beside: { action_source: 'business_messaging' } }

const rows = [
  ...rowsFrom(server, [
    ['event_name', 'Purchase', 'event_name', 'Purchase'],
    ['event_id', 'event.id.123', 'event_id', 'event.id.123'],
    ['event_time', minuteAgo, 'event_time', Math.floor(Date.parse(minuteAgo) / 1000)],
    ['action_source', 'physical_store', 'action_source', 'physical_store'],
    ['event_source_url', page, 'event_source_url', page, { beside: { action_source: 'email' } }],
    ['opt_out', true, 'opt_out', true],
    ['settings.test_event_code', 'TEST123', '^body.test_event_code', 'TEST123'],
    ['test_event_code', 'TEST123', '^body.test_event_code', 'TEST123'],
  ]),
  ...rowsFrom(dataProcessing, [
    ['limited_data_use', true, 'data_processing_options', ['LDU']],
    ['data_processing_country', 1, 'data_processing_options_country', 1, limited],
    [
      'data_processing_state',
      1000,
      'data_processing_options_state',
      1000,
      { beside: { limited_data_use: true, data_processing_country: 1 } },
    ],
    ['settings.limited_data_use', true, 'data_processing_options', ['LDU']],
  ]),
  ...rowsFrom(person, [
    ['em', 'John_Smith@gmail.com', 'user_data.em.0', email],
    ['ph', '(650)555-1212', 'user_data.ph.0', phone, { beside: { country: 'US' } }],
    ['fn', 'Mary', 'user_data.fn.0', firstName],
    ['ln', 'Valéry', 'user_data.ln.0', lastName],
    ['ge', 'Female', 'user_data.ge.0', sha256('f')],
    ['db', '2/16/1997', 'user_data.db.0', sha256('19970216')],
    ['ct', 'New York', 'user_data.ct.0', sha256('newyork')],
    ['st', 'California', 'user_data.st.0', sha256('ca')],
    ['zp', '94035-1234', 'user_data.zp.0', sha256('94035')],
    ['country', 'United States', 'user_data.country.0', sha256('us')],
    ['external_id', 'USER456', 'user_data.external_id.0', sha256('user456')],
    ['client_ip_address', '192.0.2.71', 'user_data.client_ip_address', '192.0.2.71'],
    ['client_user_agent', agent, 'user_data.client_user_agent', agent, { beside: { action_source: 'email' } }],
    ['lead_id', '1234567890123456', 'user_data.lead_id', 1_234_567_890_123_456],
    ['subscription_id', 'sub-1', 'user_data.subscription_id', 'sub-1'],
    ['fb_login_id', '4711', 'user_data.fb_login_id', 4711],
    ['anon_id', 'install-1', 'user_data.anon_id', 'install-1', inApp],
    ['madid', '38400000-8cf0-11bd-b23e-10b96e40000d', 'user_data.madid', '38400000-8cf0-11bd-b23e-10b96e40000d'],
    ['page_scoped_user_id', '4321', 'user_data.page_scoped_user_id', '4321', chat],
    ['ig_account_id', '1234', 'user_data.ig_account_id', '1234', chat],
    ['ig_sid', '5678', 'user_data.ig_sid', '5678', chat],
  ]),
  ...rowsFrom(fbcAndFbp, [
    ['fbc', fbc, 'user_data.fbc', fbc],
    ['fbp', fbp, 'user_data.fbp', fbp],
  ]),
  ...rowsFrom(`${business}, server-event.js`, [
    ['referrer_url', 'https://shop.example/', 'referrer_url', 'https://shop.example/'],
  ]),
  ...rowsFrom(`${business}, user-data.js`, [
    ['ctwa_clid', 'ARAkLkA8rmlFeiCktEJQ', 'user_data.ctwa_clid', 'ARAkLkA8rmlFeiCktEJQ', chat],
    ['page_id', '8765', 'user_data.page_id', '8765', chat],
  ]),
  ...rowsFrom('Segment, action-destinations, facebook-conversions-api/shared/functions.ts', [
    ['partner_id', 'p-1', 'user_data.partner_id', 'p-1'],
    ['partner_name', 'liveramp', 'user_data.partner_name', 'liveramp'],
  ]),
  ...rowsFrom(custom, [
    ['value', '142.54', 'custom_data.value', 142.54],
    ['currency', 'usd', 'custom_data.currency', 'USD'],
    ['order_id', 'order1234', 'custom_data.order_id', 'order1234'],
    ['contents', products, 'custom_data.contents', contents],
    ['contents', products, 'custom_data.contents.0.id', 'p1', { item: 'id' }],
    ['contents', products, 'custom_data.contents.0.quantity', 2, { item: 'quantity' }],
    ['contents', products, 'custom_data.contents.0.item_price', 10, { item: 'item_price' }],
    ['one_product', products[0], 'custom_data.contents', contents.slice(0, 1)],
    [
      'price_of_one',
      10,
      'custom_data.value',
      20,
      { beside: { one_product: products[0], event_name: 'AddToCart', value: '' } },
    ],
    ['content_ids', ['ABC123', 'XYZ789'], 'custom_data.content_ids', ['ABC123', 'XYZ789']],
    ['content_type', 'product_group', 'custom_data.content_type', 'product_group'],
    ['content_name', 'lettuce', 'custom_data.content_name', 'lettuce'],
    ['content_category', 'grocery', 'custom_data.content_category', 'grocery'],
    ['num_items', '4', 'custom_data.num_items', 4],
    ['predicted_ltv', '432.12', 'custom_data.predicted_ltv', 432.12],
    ['net_revenue', '30.5', 'custom_data.net_revenue', 30.5],
    ['delivery_category', 'home_delivery', 'custom_data.delivery_category', 'home_delivery'],
    ['status', 'registered', 'custom_data.status', 'registered'],
    ['search_string', 'lettuce', 'custom_data.search_string', 'lettuce'],
    ['custom_data', { plan: 'pro' }, 'custom_data.plan', 'pro'],
    ['plan', 'pro', 'custom_data.plan', 'pro'],
  ]),
  ...rowsFrom(ofApp, [
    ['advertiser_tracking_enabled', false, 'app_data.advertiser_tracking_enabled', 0, inApp],
    ['application_tracking_enabled', true, 'app_data.application_tracking_enabled', 1, inApp],
    ['os_name', 'Android', 'app_data.extinfo.0', 'a2', inApp],
    [
      'app_package',
      'com.facebook.sdk.samples.hellofacebook',
      'app_data.extinfo.1',
      'com.facebook.sdk.samples.hellofacebook',
      inApp,
    ],
    ['app_version', '1.0', 'app_data.extinfo.2', '1.0', inApp],
    ['app_build', '1.0 long', 'app_data.extinfo.3', '1.0 long', inApp],
    ['os_version', '13.4.1', 'app_data.extinfo.4', '13.4.1', inApp],
    ['device_model', 'iPhone5,1', 'app_data.extinfo.5', 'iPhone5,1', inApp],
    ['locale', 'En_US', 'app_data.extinfo.6', 'En_US', inApp],
    ['timezone_abbreviation', 'PDT', 'app_data.extinfo.7', 'PDT', inApp],
    ['carrier', 'AT&T', 'app_data.extinfo.8', 'AT&T', inApp],
    ['screen_width', '320', 'app_data.extinfo.9', '320', inApp],
    ['screen_height', '568', 'app_data.extinfo.10', '568', inApp],
    ['screen_density', '2', 'app_data.extinfo.11', '2', inApp],
    ['cpu_cores', '2', 'app_data.extinfo.12', '2', inApp],
    ['storage_size', '13', 'app_data.extinfo.13', '13', inApp],
    ['free_storage', '8', 'app_data.extinfo.14', '8', inApp],
    ['device_timezone', 'USA/New York', 'app_data.extinfo.15', 'USA/New York', inApp],
    ['campaign_ids', 'ARAkLkA8', 'app_data.campaign_ids', 'ARAkLkA8', inApp],
    ['install_referrer', 'utm_source=apps', 'app_data.install_referrer', 'utm_source=apps', inApp],
    ['installer_package', 'com.android.vending', 'app_data.installer_package', 'com.android.vending', inApp],
    ['url_schemes', ['fb123'], 'app_data.url_schemes', ['fb123'], inApp],
    ['vendor_id', 'A1B2', 'app_data.vendor_id', 'A1B2', inApp],
    ['windows_attribution_id', 'w-1', 'app_data.windows_attribution_id', 'w-1', inApp],
  ]),
  ...rowsFrom('consent of the event: docs/conversions.md', [['consent', 'denied', '^outcome.kind', 'skipped']]),
]

const onlyOfApps = 'an event of a website has no app_data'
const appFields = [
  'advertiser_tracking_enabled',
  'os_name',
  'os_version',
  'app_package',
  'app_version',
  'app_build',
  'device_model',
  'locale',
  'carrier',
  'screen_width',
  'screen_height',
  'screen_density',
  'device_timezone',
]
/** Returns the case of an event whose properties are those of one product. */
const ofPiece = (event_name: string): WirePreset => ({
  event: {
    properties: { ...products[0], products: undefined, content_name: undefined },
  },
  sent: { event_name, content_name: 'Shoe', one_product: contents.slice(0, 1) },
  apart: { contents: 'an event of one product has no list' },
})

export const wireCases: WireCases = {
  definition: metaConversions,
  origins: ['https://graph.facebook.com'],
  settings: { pixel_id: pixel, access_token: token },
  vendor: () => createMetaConversions().answer,
  record: 'body.data.0',
  actions: {
    send_conversion: {
      base: {
        event_name: 'Purchase',
        event_id: 'o-1',
        event_time: minuteAgo,
        value: 25.5,
        currency: 'EUR',
        client_user_agent: agent,
        event_source_url: page,
        em: 'ada@example.com',
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
        content_name: 'Spring sale',
        content_category: 'Shoes',
        predicted_ltv: 120.5,
        subscription_id: 'sub-1',
        ctwa_clid: 'ARAkLkA8',
        net_revenue: 12.5,
        num_items: 4,
        delivery_category: 'home_delivery',
        fb_login_id: 4711,
        partner_id: 'p-1',
        partner_name: 'liveramp',
        price: 25,
        products,
      },
      context: {
        ip: '192.0.2.71',
        userAgent: agent,
        locale: 'de-DE',
        timezone: 'Europe/Berlin',
        page: { url: page, referrer: 'https://shop.example/' },
        traits: {
          email: 'John_Smith@gmail.com',
          phone: '+1 (650)555-1212',
          firstName: 'Mary',
          lastName: 'Valéry',
          gender: 'Female',
          birthday: '1997-02-16',
          address: { city: 'New York', state: 'CA', postalCode: '94035-1234', country: 'US' },
        },
        browserIds: { fbc, fbp },
        lead_id: 123_456,
        device: { advertisingId: 'A1B2', adTrackingEnabled: true, model: 'iPhone5,1' },
        app: { anonId: 'install-1', namespace: 'com.example.shop', version: '1.0', build: '100' },
        os: { name: 'iOS', version: '13.4.1' },
        network: { carrier: 'T-Mobile' },
        screen: { width: 320, height: 568, density: 2 },
        consent: { categoryPreferences: { advertising: true } },
      },
    },
    sent: {
      event_id: 'm-1',
      event_time: Math.floor(Date.parse(minuteAgo) / 1000),
      event_source_url: page,
      referrer_url: 'https://shop.example/',
      value: 25,
      currency: 'EUR',
      order_id: 'o-1',
      contents,
      search_string: 'red shoes',
      content_name: 'Spring sale',
      content_category: 'Shoes',
      num_items: 4,
      net_revenue: 12.5,
      delivery_category: 'home_delivery',
      predicted_ltv: 120.5,
      em: email,
      ph: phone,
      fn: firstName,
      ln: lastName,
      ge: sha256('f'),
      db: sha256('19970216'),
      ct: sha256('newyork'),
      st: sha256('ca'),
      zp: sha256('94035'),
      country: sha256('us'),
      external_id: sha256('u1'),
      fbc,
      fbp,
      lead_id: 123_456,
      subscription_id: 'sub-1',
      ctwa_clid: 'ARAkLkA8',
      anon_id: 'install-1',
      fb_login_id: 4711,
      partner_id: 'p-1',
      partner_name: 'liveramp',
      madid: 'A1B2',
      client_ip_address: '192.0.2.71',
      client_user_agent: agent,
    },
    apart: {
      consent: 'Meta has no field for it; without consent, nothing is sent',
      price_of_one: 'counts only for an event without a value',
      ...Object.fromEntries(appFields.map((name) => [name, onlyOfApps])),
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
    'Product List Viewed': { sent: { event_name: 'ViewContent' } },
    'Lead Generated': { sent: { event_name: 'Lead' } },
    'Lead Created': { sent: { event_name: 'Lead' } },
    'Subscription Created': { sent: { event_name: 'Subscribe' } },
    'Trial Started': { sent: { event_name: 'StartTrial' } },
    'Contact Form Submitted': { sent: { event_name: 'Contact' } },
    'Callback Started': { sent: { event_name: 'Contact' } },
    'Appointment Scheduled': { sent: { event_name: 'Schedule' } },
    'Donation Made': { sent: { event_name: 'Donate' } },
    'Store Location Searched': { sent: { event_name: 'FindLocation' } },
    'Product Customized': ofPiece('CustomizeProduct'),
    'Application Submitted': { sent: { event_name: 'SubmitApplication' } },
    '(page)': { sent: { event_name: 'PageView' } },
  },
}
