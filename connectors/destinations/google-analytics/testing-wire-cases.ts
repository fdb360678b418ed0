import { rowsFrom, type WireCases, type WirePreset } from '@tributary/connector-kit/testing-wire'
import { googleAnalytics } from './definition.ts'
import { createAnalytics, firebaseApp, measurement, origins, secret } from './testing-google-analytics.ts'

const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const agent = 'Mozilla/5.0 (X11)'
const instance = 'd6f2a9c38b1e4f0795ad3c6b8e7f1024'

const guides = 'developers.google.com/analytics/devguides/collection'
const reference = `${guides}/protocol/ga4/reference`
const recommended = `${guides}/ga4/reference/events`
const sending = `${guides}/protocol/ga4/sending-events`
const userData = `${guides}/ga4/uid-data`

/** The hash of alexz@example.com in github.com/googleads/data-manager-java, UserDataFormatterTest.java. */
const email = '509e933019bb285a134a9334b8bb679dff79d0ce023d529af4bd744d47b4fd8a'
const phone = 'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30'

/** The first product of the example of `purchase`, with the names of the commerce schema. */
const product = {
  product_id: 'SKU_12345',
  name: 'Stan and Friends Tee',
  affiliation: 'Google Merchandise Store',
  coupon: 'SUMMER_FUN',
  discount: 2.22,
  position: 0,
  brand: 'Google',
  category: 'Apparel',
  variant: 'green',
  price: 10.01,
  quantity: 3,
  item_category2: 'Adult',
  item_category3: 'Shirts',
  item_category4: 'Crew',
  item_category5: 'Short sleeve',
  item_list_id: 'related_products',
  item_list_name: 'Related Products',
  location_id: 'ChIJIQBpAG2ahYAR_6128GcTUEo',
  creative_name: 'Summer Banner',
  creative_slot: 'featured_app_1',
  promotion_id: 'P_12345',
  promotion_name: 'Summer Sale',
}
const { product_id, name, position, brand, category, variant, ...sameNames } = product
const ofEvent = {
  item_id: product_id,
  item_name: name,
  index: position,
  item_brand: brand,
  item_category: category,
  item_variant: variant,
  ...sameNames,
}
const products = [{ ...product, currency: 'usd' }]
const item = { ...ofEvent, currency: 'USD' }
const itemRows = Object.entries(item).map(
  ([key, value]) => ['items', products, `events.0.params.items.0.${key}`, value, { item: key }] as const,
)

const param = (target: string, value: unknown, sent: unknown = value) =>
  [target, value, `events.0.params.${target}`, sent] as const
const inApp = { settings: { stream: 'app' }, beside: { ga_app_instance_id: instance } }
const screen = { beside: { ga_screen_width: '1280', ga_screen_height: '2856' } }

const rows = [
  ...rowsFrom(reference, [
    ['event_name', 'purchase', 'events.0.name', 'purchase'],
    ['client_id', 'GA1.1.123456.7654321', 'client_id', '123456.7654321'],
    ['event_time', minuteAgo, 'events.0.timestamp_micros', Date.parse(minuteAgo) * 1000],
    ['user_id', 'u1', 'user_id', 'u1'],
    ['user_properties', { customer_tier: 'premium' }, 'user_properties', { customer_tier: { value: 'premium' } }],
    ['ad_user_data', true, 'consent.ad_user_data', 'GRANTED'],
    ['ad_personalization', false, 'consent.ad_personalization', 'DENIED'],
    ['ga_non_personalized_ads', 'true', 'consent.ad_personalization', 'DENIED'],
    [
      'settings.lower_case_names',
      true,
      'events.0.name',
      'order_completed',
      { beside: { event_name: 'Order Completed' } },
    ],
    ['ga_ip_override', '192.0.2.71', 'ip_override', '192.0.2.71'],
    ['ga_user_agent', agent, 'user_agent', agent],
    ['session_id', 'GS2.1.s1700000000$o1$g1', 'events.0.params.session_id', '1700000000'],
    ['engagement_time_msec', 100, 'events.0.params.engagement_time_msec', 100],
    ['plan', 'pro', 'events.0.params.plan', 'pro'],
    ['ga_device_category', 'mobile', 'device.category', 'mobile'],
    ['ga_language', 'en', 'device.language', 'en'],
    ['ga_screen_width', '1280', 'device.screen_resolution', '1280x2856', screen],
    ['ga_screen_height', '2856', 'device.screen_resolution', '1280x2856', screen],
    ['ga_os_name', 'Android', 'device.operating_system', 'Android'],
    ['ga_os_version', '14', 'device.operating_system_version', '14'],
    ['ga_device_model', 'Pixel 9 Pro', 'device.model', 'Pixel 9 Pro'],
    ['ga_device_brand', 'Google', 'device.brand', 'Google'],
    ['ga_browser', 'Chrome', 'device.browser', 'Chrome'],
    ['ga_browser_version', '136.0.7103.60', 'device.browser_version', '136.0.7103.60'],
    ['ga_city', 'Mountain View', 'user_location.city', 'Mountain View'],
    ['ga_region_id', 'US-CA', 'user_location.region_id', 'US-CA'],
    ['ga_country_id', 'US', 'user_location.country_id', 'US'],
    ['ga_subcontinent_id', '021', 'user_location.subcontinent_id', '021'],
    ['ga_continent_id', '019', 'user_location.continent_id', '019'],
  ]),
  ...rowsFrom(sending, [
    ['ga_app_instance_id', instance, 'app_instance_id', instance, { settings: { stream: 'app' } }],
    ['settings.stream', 'app', '^query.firebase_app_id', firebaseApp, { beside: inApp.beside }],
  ]),
  ...rowsFrom('a client ID of our own for a person without one: docs/conversions.md', [
    // The first eight bytes of the SHA-256 of `ga4/u1`, each half of them as a positive number.
    ['ga_user_key', 'u1', 'client_id', '1228877006.1856152982', { beside: { client_id: '' } }],
  ]),
  ...rowsFrom(recommended, [
    ['value', '30.03', 'events.0.params.value', 30.03],
    ['currency', 'usd', 'events.0.params.currency', 'USD'],
    param('transaction_id', 'T_12345'),
    ['tax', '3.6', 'events.0.params.tax', 3.6],
    ['shipping', '5.99', 'events.0.params.shipping', 5.99],
    param('coupon', 'SUMMER_SALE'),
    param('affiliation', 'Google Merchandise Store'),
    param('payment_type', 'Credit Card'),
    param('shipping_tier', 'Ground'),
    param('method', 'Google'),
    param('content_type', 'image'),
    param('item_id', 'C_12345'),
    param('item_list_id', 'related_products'),
    param('item_list_name', 'Related products'),
    param('promotion_id', 'P_12345'),
    param('promotion_name', 'Summer Sale'),
    param('creative_name', 'Summer Banner'),
    param('creative_slot', 'featured_app_1'),
    param('location_id', 'L_12345'),
    param('search_term', 'Clothing'),
    param('group_id', 'G_12345'),
    param('page_location', 'https://shop.example/a'),
    param('page_referrer', 'https://search.example/'),
    param('page_title', 'Shoes'),
    ['screen_name', 'Checkout', 'events.0.params.screen_name', 'Checkout', inApp],
    ['screen_class', 'CheckoutController', 'events.0.params.screen_class', 'CheckoutController', inApp],
    ['items', products, 'events.0.params.items', [item]],
    ...itemRows,
    ['one_product', product, 'events.0.params.items', [ofEvent]],
    ['price_of_one', 10.01, 'events.0.params.value', 30.03, { beside: { one_product: product, value: '' } }],
  ]),
  ...rowsFrom(userData, [
    ['email', ' ALEXZ@example.com ', 'user_data.sha256_email_address.0', email],
    ['phone', '+1 800-555-0100', 'user_data.sha256_phone_number.0', phone],
  ]),
]

const noAgent = 'with a user agent, Google derives the device itself'
const withName = (event_name: string, sent: object = {}): WirePreset => ({ sent: { event_name, ...sent } })

/** Returns the case of an event whose properties are those of one product. */
const ofPiece = (event_name: string, more: object = {}): WirePreset => ({
  event: {
    properties: { ...product, products: undefined, ...more },
  },
  sent: {
    event_name,
    one_product: [ofEvent],
    coupon: 'SUMMER_FUN',
    item_list_id: 'related_products',
    item_list_name: 'Related Products',
  },
  apart: { items: 'an event of one product has no list' },
})

const promotion = (event_name: string): WirePreset => ({
  event: {
    properties: {
      promotion_id: 'P_12345',
      promotion_name: 'Summer Sale',
      creative: 'Summer Banner',
      position: 'featured_app_1',
      location_id: 'L_12345',
      affiliation: undefined,
    },
  },
  sent: { event_name },
})

export const wireCases: WireCases = {
  definition: googleAnalytics,
  origins,
  settings: { measurement_id: measurement, firebase_app_id: firebaseApp, api_secret: secret },
  vendor: () => createAnalytics().answer,
  record: 'body',
  actions: {
    send_event: {
      base: { event_name: 'sign_up', event_time: minuteAgo, client_id: '1.2', value: 5, currency: 'EUR' },
      rows,
    },
  },
  // The events and their properties: "Ecommerce events" and "Context" of the specification of track calls.
  common: {
    event: {
      timestamp: minuteAgo,
      properties: {
        order_id: 'T_12345',
        revenue: 30.03,
        price: 30.03,
        currency: 'USD',
        tax: 3.6,
        shipping: 5.99,
        coupon: 'SUMMER_SALE',
        affiliation: 'Google Merchandise Store',
        query: 'Clothing',
        products,
      },
      context: {
        ip: '192.0.2.71',
        userAgent: agent,
        locale: 'de-DE',
        page: { url: 'https://shop.example/a', referrer: 'https://search.example/', title: 'Shoes' },
        browserIds: { ga: '123456.7654321', gaSession: '1700000000' },
        app_instance_id: instance,
        screen: { width: 390, height: 844 },
        os: { name: 'iOS', version: '17.4' },
        device: { model: 'iPhone14,5', manufacturer: 'Apple' },
        traits: { email: 'alexz@example.com', phone: '+1 800-555-0100' },
        consent: { categoryPreferences: { advertising: true } },
      },
    },
    sent: {
      client_id: '123456.7654321',
      event_time: Date.parse(minuteAgo) * 1000,
      user_id: 'u1',
      session_id: '1700000000',
      page_location: 'https://shop.example/a',
      page_referrer: 'https://search.example/',
      page_title: 'Shoes',
      ga_ip_override: '192.0.2.71',
      ga_user_agent: agent,
      email,
      phone,
      ad_user_data: 'GRANTED',
      ad_personalization: 'GRANTED',
      transaction_id: 'T_12345',
      value: 30.03,
      currency: 'USD',
      tax: 3.6,
      shipping: 5.99,
      coupon: 'SUMMER_SALE',
      affiliation: 'Google Merchandise Store',
      search_term: 'Clothing',
      items: [item],
      promotion_id: 'P_12345',
      promotion_name: 'Summer Sale',
      creative_name: 'Summer Banner',
      creative_slot: 'featured_app_1',
      location_id: 'L_12345',
    },
    apart: {
      ga_app_instance_id: 'only the stream of an app has it',
      ga_user_key: 'makes a client ID only for an event without one',
      price_of_one: 'counts only for an event without a value',
      ga_language: noAgent,
      ga_screen_width: noAgent,
      ga_screen_height: noAgent,
      ga_os_name: noAgent,
      ga_os_version: noAgent,
      ga_device_model: noAgent,
      ga_device_brand: noAgent,
    },
  },
  presets: {
    'Order Completed': withName('purchase'),
    'Product Added': ofPiece('add_to_cart'),
    'Checkout Started': withName('begin_checkout'),
    'Payment Info Entered': {
      event: { properties: { payment_method: 'Credit Card' } },
      ...withName('add_payment_info', { payment_type: 'Credit Card' }),
    },
    'Product Viewed': ofPiece('view_item'),
    'Products Searched': withName('search'),
    'Product Added to Wishlist': ofPiece('add_to_wishlist'),
    'Signed Up': { event: { properties: { method: 'Google' } }, ...withName('sign_up', { method: 'Google' }) },
    'Lead Created': withName('generate_lead'),
    'Lead Generated': withName('generate_lead'),
    'Order Refunded': withName('refund'),
    'Product Clicked': ofPiece('select_item'),
    'Product List Viewed': {
      event: { properties: { list_id: 'related_products', category: 'Related products' } },
      ...withName('view_item_list', { item_list_id: 'related_products', item_list_name: 'Related products' }),
    },
    'Product Removed': ofPiece('remove_from_cart'),
    'Cart Viewed': withName('view_cart'),
    'Checkout Step Completed': {
      event: { properties: { shipping_method: 'Ground' } },
      ...withName('add_shipping_info', { shipping_tier: 'Ground' }),
    },
    'Promotion Viewed': promotion('view_promotion'),
    'Promotion Clicked': promotion('select_promotion'),
    'Search Results Viewed': withName('view_search_results'),
    'Signed In': { event: { properties: { method: 'Google' } }, ...withName('login', { method: 'Google' }) },
    'Product Shared': {
      event: { properties: { share_via: 'email', content_type: 'product', product_id: 'C_12345' } },
      ...withName('share', { method: 'email', content_type: 'product', item_id: 'C_12345' }),
    },
    'Cart Shared': {
      event: { properties: { share_via: 'email', content_type: 'cart', item_id: 'C_12345' } },
      ...withName('share', { method: 'email', content_type: 'cart', item_id: 'C_12345' }),
    },
    '(page)': withName('page_view'),
    '(group)': { event: { groupId: 'G_12345' }, ...withName('join_group', { group_id: 'G_12345' }) },
    '(screen)': {
      settings: { stream: 'app' },
      event: {
        properties: { screen_name: 'Checkout', screen_class: 'CheckoutController' },
        context: { userAgent: undefined },
      },
      apart: {
        client_id: 'the stream of an app has the ID of the installation',
        ga_user_agent: 'an app has no user agent of a browser',
      },
      sent: {
        event_name: 'screen_view',
        ga_app_instance_id: instance,
        screen_name: 'Checkout',
        screen_class: 'CheckoutController',
        ga_language: 'de-DE',
        ga_screen_width: '390x844',
        ga_screen_height: '390x844',
        ga_os_name: 'iOS',
        ga_os_version: '17.4',
        ga_device_model: 'iPhone14,5',
        ga_device_brand: 'Apple',
      },
    },
  },
}
