import { compileMappings } from '@tributary/connector-kit'
import { describe, expect, it } from 'vitest'
import { googleAnalytics } from './definition.ts'
import { agent, changed, minuteAgo, place, send, track, web } from './testing-preset-events.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const
const constant = (value: string) => ({ type: 'CONSTANT', value }) as const

const order = {
  order_id: 'o-1',
  revenue: 25,
  total: 30,
  tax: 3,
  shipping: 2,
  coupon: 'SPRING',
  affiliation: 'Web shop',
  currency: 'EUR',
  products: [
    {
      product_id: 'p1',
      name: 'Shoe',
      brand: 'B',
      category: 'Shoes',
      variant: 'red',
      price: 10,
      quantity: 2,
      coupon: 'X',
      position: 1,
    },
    { product_id: 'p2', name: 'Sock', price: 5, quantity: 1 },
  ],
}
const shoe = { product_id: 'p1', name: 'Shoe', price: 10, quantity: 3, currency: 'EUR' }
const shoeItem = { item_id: 'p1', item_name: 'Shoe', price: 10, quantity: 3 }
/** The same of a list, whose products can have a currency of their own. */
const listedItem = { ...shoeItem, currency: 'EUR' }
const cart = { products: [shoe], value: 30, currency: 'EUR', coupon: 'SPRING', affiliation: 'Web shop' }
const cartParams = {
  value: 30,
  currency: 'EUR',
  coupon: 'SPRING',
  affiliation: 'Web shop',
  items: [{ ...listedItem, affiliation: 'Web shop' }],
}
const piece = { ...shoe, coupon: 'SPRING', affiliation: 'Web shop' }
const pieceParams = { ...cartParams, items: [{ ...shoeItem, coupon: 'SPRING', affiliation: 'Web shop' }] }
const orderParams = {
  transaction_id: 'o-1',
  value: 25,
  currency: 'EUR',
  tax: 3,
  shipping: 2,
  coupon: 'SPRING',
  affiliation: 'Web shop',
  items: [
    {
      item_id: 'p1',
      item_name: 'Shoe',
      affiliation: 'Web shop',
      coupon: 'X',
      index: 1,
      item_brand: 'B',
      item_category: 'Shoes',
      item_variant: 'red',
      price: 10,
      quantity: 2,
    },
    { item_id: 'p2', item_name: 'Sock', affiliation: 'Web shop', price: 5, quantity: 1 },
  ],
}
const promotion = { promotion_id: 'promo-1', name: 'Summer', creative: 'Banner', position: 'top', location_id: 'L1' }
const promotionParams = {
  promotion_id: 'promo-1',
  promotion_name: 'Summer',
  creative_name: 'Banner',
  creative_slot: 'top',
  location_id: 'L1',
}
const search = { search_term: 'shoes' }

/** Params of each event, from `commonFields`. */
const common = {
  session_id: '1700000000',
  engagement_time_msec: 1,
  page_location: 'https://shop.example/a',
  page_referrer: 'https://search.example/',
  page_title: 'Shoes',
}

/**
 * Names and parameters: "Recommended events" (developers.google.com/analytics/devguides/collection/ga4/reference/events).
 * Which event of the commerce schema is which: Segment action-destinations, `google-analytics-4`, and RudderStack
 * rudder-transformer, `src/v0/destinations/ga4/config.js` and its `data`.
 */
const presets: readonly [event: string, name: string, properties: object, params: object][] = [
  ['Order Completed', 'purchase', order, orderParams],
  ['Order Refunded', 'refund', order, orderParams],
  ['Checkout Started', 'begin_checkout', order, orderParams],
  ['Product Added', 'add_to_cart', piece, { ...pieceParams, transaction_id: 'm-1' }],
  ['Product Viewed', 'view_item', piece, { ...pieceParams, transaction_id: 'm-1' }],
  ['Product Added to Wishlist', 'add_to_wishlist', piece, { ...pieceParams, transaction_id: 'm-1' }],
  [
    'Payment Info Entered',
    'add_payment_info',
    { ...order, payment_method: 'Visa' },
    { ...orderParams, payment_type: 'Visa' },
  ],
  ['Products Searched', 'search', { query: 'shoes' }, { ...search, transaction_id: 'm-1' }],
  ['Signed Up', 'sign_up', { method: 'Google' }, { method: 'Google', transaction_id: 'm-1' }],
  [
    'Lead Created',
    'generate_lead',
    { value: 5, currency: 'EUR' },
    { value: 5, currency: 'EUR', transaction_id: 'm-1' },
  ],
  ['Lead Generated', 'generate_lead', { value: 5, currency: 'EUR' }, { value: 5, currency: 'EUR' }],
  ['Product Removed', 'remove_from_cart', piece, pieceParams],
  ['Cart Viewed', 'view_cart', cart, cartParams],
  [
    'Product Clicked',
    'select_item',
    { ...piece, list_id: 'l-1', list_name: 'Related' },
    { ...pieceParams, item_list_id: 'l-1', item_list_name: 'Related' },
  ],
  [
    'Product List Viewed',
    'view_item_list',
    { ...cart, list_id: 'l-1', category: 'Shoes' },
    { ...cartParams, item_list_id: 'l-1', item_list_name: 'Shoes' },
  ],
  ['Promotion Viewed', 'view_promotion', promotion, promotionParams],
  [
    'Promotion Clicked',
    'select_promotion',
    { ...promotion, products: [shoe] },
    { ...promotionParams, items: [listedItem] },
  ],
  [
    'Checkout Step Completed',
    'add_shipping_info',
    { ...cart, shipping_method: 'Ground' },
    { ...cartParams, shipping_tier: 'Ground' },
  ],
  ['Search Results Viewed', 'view_search_results', { ...cart, query: 'shoes' }, { ...cartParams, ...search }],
  ['Signed In', 'login', { method: 'Google' }, { method: 'Google' }],
  [
    'Product Shared',
    'share',
    { share_via: 'email', content_type: 'product', product_id: 'p1' },
    { method: 'email', content_type: 'product', item_id: 'p1' },
  ],
  ['Cart Shared', 'share', { share_via: 'email', content_type: 'cart' }, { method: 'email', content_type: 'cart' }],
]

describe('the presets of Google Analytics', () => {
  it.each(presets)('%s is sent as %s with every mapped field', async (event, name, properties, params) => {
    const { sent, outcome, problems } = await send(track(event, properties))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(problems).toEqual([])
    expect(sent?.events).toEqual([
      { name, timestamp_micros: Date.parse(minuteAgo) * 1000, params: { ...common, ...params } },
    ])
    expect(sent).toMatchObject({
      client_id: '123.456',
      user_id: 'user-1',
      ip_override: '192.0.2.71',
      user_agent: agent,
      consent: { ad_user_data: 'GRANTED', ad_personalization: 'GRANTED' },
      user_data: { sha256_email_address: [expect.any(String)], sha256_phone_number: [expect.any(String)] },
    })
  })

  it('a page call is sent as page_view, and a group call as join_group', async () => {
    const page = await send(track('', {}, { type: 'page' }))
    expect([page.name, page.params]).toEqual(['page_view', common])
    const group = await send(track('', {}, { type: 'group', groupId: 'acme' }))
    expect([group.name, group.params]).toEqual(['join_group', { ...common, group_id: 'acme' }])
  })

  it('each preset has an event in this table', () => {
    const tested = new Set(presets.map(([event]) => event))
    expect(googleAnalytics.presets.filter(({ eventName = '' }) => eventName !== '' && !tested.has(eventName))).toEqual(
      [],
    )
  })

  it('a checkout step without shipping is not sent', () => {
    const mapped = compileMappings(googleAnalytics, undefined, place)(track('Checkout Step Completed', cart), 's')
    expect(mapped).toEqual({ kind: 'unmapped' })
  })
})

// "One of item_id or item_name is required" and "value": "Recommended events", item parameters and view_item.
describe('products for Google Analytics', () => {
  it('a product at the root with only a name is an item', async () => {
    const { params } = await send(track('Product Viewed', { name: 'Shoe', price: 10, currency: 'EUR' }))
    expect(params).toMatchObject({ items: [{ item_name: 'Shoe', price: 10 }], value: 10 })
  })
  it('a product of a list with only a name is an item', async () => {
    const products = [{ name: 'Shoe', price: 10, quantity: 1 }]
    const { params } = await send(track('Order Completed', { ...order, products }))
    expect(params['items']).toEqual([{ item_name: 'Shoe', affiliation: 'Web shop', price: 10, quantity: 1 }])
  })
  it('a price without a currency is left out, and the event is sent with a note', async () => {
    const { name, params, outcome } = await send(track('Product Viewed', { ...shoe, currency: undefined }))
    expect([name, params['value'], params['items']]).toEqual(['view_item', undefined, [shoeItem]])
    expect(outcome).toEqual({ kind: 'delivered', note: 'Sent without value: the price has no currency' })
  })
  it('further details of a product are sent under the names of Google', async () => {
    const details = {
      item_category2: 'Running',
      item_list_name: 'Related',
      discount: 2,
      promotion_id: 'p',
      color: 'red',
    }
    const { params } = await send(track('Cart Viewed', { ...cart, products: [{ ...shoe, ...details }] }))
    const { color: _, ...sent } = details
    expect(params['items']).toEqual([{ ...listedItem, affiliation: 'Web shop', ...sent }])
  })
})

// "client_id: Must be two positive numbers, joined by a period (.)" ("Measurement Protocol reference")
describe('the client ID for Google Analytics', () => {
  const sentFrom = async (more: object, properties: object = {}) =>
    (await send(track('Signed In', properties, more))).sent?.client_id
  const withoutIds = { context: { ...web, browserIds: undefined } }
  it.each<[string, object, object, string]>([
    ['of our tag', {}, {}, '123.456'],
    ['of the event before that of our tag', {}, { client_id: '5.6' }, '5.6'],
    ['in the cookie of Google', withoutIds, { client_id: 'GA1.1.555.777' }, '555.777'],
    ['in the cookie of a subdomain', withoutIds, { client_id: 'GA1.2.555.777' }, '555.777'],
    ['under another name', withoutIds, { ga_client_id: '8.9' }, '8.9'],
  ])('the client ID %s is sent', async (_, more, properties, wanted) => {
    expect(await sentFrom(more, properties)).toBe(wanted)
  })
  it.each<[string, object]>([
    ['an identified user', withoutIds],
    ['an anonymous person', { ...withoutIds, userId: undefined, anonymousId: '3f1c' }],
    ['a user whose ID looks like a client ID', { ...withoutIds, userId: '12.34' }],
    ['a user with a name in Arabic', { ...withoutIds, userId: 'آدا' }],
  ])('without one, %s gets two positive numbers that are always the same', async (_, more) => {
    const client = await sentFrom(more)
    expect(client).toMatch(/^[1-9]\d*\.[1-9]\d*$/)
    expect(client).not.toBe('12.34')
    expect(await sentFrom(more)).toBe(client)
  })
})

// "session_id: A positive numeric value representing a timestamp" ("Measurement Protocol reference")
it.each<[string, object, object, unknown]>([
  ['of our tag', { browserIds: { gaSession: '1700000000' } }, {}, '1700000000'],
  ['of the libraries of RudderStack', { sessionId: 1_700_000_000 }, {}, '1700000000'],
  ['of the event', { sessionId: 5 }, { ga_session_id: 1_700_000_001 }, '1700000001'],
  ['in the cookie of Google', {}, { ga_session_id: 'GS2.1.s1700000000$o1$g1' }, '1700000000'],
  ['in the older cookie', {}, { ga_session_id: 'GS1.1.1700000000.1.1.1.0.0.0' }, '1700000000'],
  ['that is no number', {}, { ga_session_id: '3f1c-77aa' }, undefined],
])(
  'the session ID %s for Google Analytics, and an engagement time in any case',
  async (_, ids, properties, session) => {
    const { params } = await send(track('Signed In', properties, { context: { ...web, browserIds: {}, ...ids } }))
    expect([params['session_id'], params['engagement_time_msec']]).toEqual([session, 1])
  },
)

// Names and limits: "Measurement Protocol reference", validation behavior and reserved names.
describe('what Google Analytics ignores', () => {
  it.each<[string, string]>([
    ['Article Read', 'Article_Read'],
    ['  Article   Read ', 'Article_Read'],
    ['Article\tRead', 'Article_Read'],
    ['article_read', 'article_read'],
  ])('an event is sent by its own name %j as %s', async (given, name) => {
    const mappings = changed('Signed In', { event_name: constant(given) })
    expect((await send(track('Signed In', {}), mappings)).name).toBe(name)
  })
  it.each([
    ['screen_view', 'only from apps'],
    ['in_app_purchase', 'only from apps'],
    ['ad_impression', 'only from apps'],
    ['session start', 'reserves'],
    ['Article-Read', 'not an event name'],
    ['2nd Article', 'not an event name'],
  ])('an event with the name %s is refused, because Google takes no such event', async (given, reason) => {
    const { sent, outcome } = await send(track('Signed In', {}), changed('Signed In', { event_name: constant(given) }))
    expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringContaining(reason) })
    expect(sent).toBeUndefined()
  })
  it('an event with more than 25 parameters is sent with all of them, up to 100', async () => {
    const custom = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`p${at}`, field('properties.method')]))
    const { params, outcome } = await send(track('Signed In', { method: 'x' }), changed('Signed In', custom))
    expect(Object.keys(params)).toHaveLength(100)
    expect(params).toMatchObject({ method: 'x', p0: 'x' })
    expect(outcome).toEqual({ kind: 'delivered', note: 'Sent without 26 parameters: more than 100' })
  })
  it.each<[string, string, unknown, string]>([
    ['a reserved name', 'ga_x', 'x', 'ga_x: a reserved name'],
    ['the name of a conversion', 'firebase_conversion', 1, 'firebase_conversion: a reserved name'],
    ['a name with a space', 'my plan', 'x', 'my plan: not a name that a parameter can have'],
    ['a name of 41 letters', 'x'.repeat(41), 'x', `${'x'.repeat(41)}: not a name that a parameter can have`],
    ['an object', 'plan', { name: 'pro' }, 'plan: neither a text nor a number'],
    ['a list', 'plan', ['pro'], 'plan: neither a text nor a number'],
    ['a tax of words', 'tax', 'none', 'tax: not a number'],
    ['a coupon that is a list', 'coupon', ['A', 'B'], 'coupon: neither a text nor a number'],
    ['an IP address that is none', 'ga_ip_override', 'localhost', 'ip_override: not an IP address'],
    ['a session that is none', 'session_id', 'abc', 'session_id: not a session of the Google tag'],
  ])('%s is left out, and the event is sent with a note', async (_, name, given, note) => {
    const mappings = changed('Signed In', { [name]: field('properties.given') })
    const { params, outcome } = await send(track('Signed In', { given }), mappings)
    expect(params).not.toHaveProperty([name])
    expect(outcome).toEqual({ kind: 'delivered', note: `Sent without ${note}` })
  })
})

describe('the person for Google Analytics', () => {
  it('user properties are at the top of the request, and those that Google refuses are left out with a note', async () => {
    const plan = {
      plan: 'pro',
      seats: 5,
      active: true,
      user_id: 'x',
      ga_x: 1,
      list: [1],
      long: 'x'.repeat(37),
      empty: '',
    }
    const mappings = changed('Signed In', { user_properties: field('properties.user') })
    const { sent, outcome } = await send(track('Signed In', { user: plan }), mappings)
    expect(sent?.user_properties).toEqual({ plan: { value: 'pro' }, seats: { value: 5 }, active: { value: 'true' } })
    expect(outcome).toMatchObject({
      note: 'Sent without user property user_id: a reserved name; user property ga_x: a reserved name; user property list: neither a text nor a number; user property long: longer than 36 characters',
    })
  })
  it('at most 25 user properties are sent', async () => {
    const user = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, at]))
    const mappings = changed('Signed In', { user_properties: field('properties.user') })
    const { sent } = await send(track('Signed In', { user }), mappings)
    expect(Object.keys(sent?.user_properties ?? {})).toHaveLength(25)
  })
  it.each(['192.0.2.71', '2001:db8::1', '::ffff:192.0.2.71'])('the IP address %s is sent', async (ip) => {
    expect((await send(track('Signed In', {}, { context: { ...web, ip } }))).sent?.ip_override).toBe(ip)
  })
  it('without consent, the IP address, email, and phone are not sent', async () => {
    const context = { ...web, consent: { categoryPreferences: { advertising: false } } }
    const { sent } = await send(track('Signed In', {}, { context }))
    expect(sent).toMatchObject({ consent: { ad_user_data: 'DENIED' }, user_agent: agent })
    expect(sent).not.toHaveProperty('ip_override')
    expect(sent).not.toHaveProperty('user_data')
  })
})

/*
 * Version 0.2.0 sends every name beside its fields as a parameter and refuses names that begin with ga_ ("Measurement
 * Protocol reference", reserved names), so no saved mapping has these.
 */
it('a mapping of 0.2.0 with parameters about the device and the place still sends them', async () => {
  const names =
    'city country_id region_id language browser device_category os_name screen_width user_agent ip_override app_instance_id user_key'
  const fields = Object.fromEntries(names.split(' ').map((name) => [name, field(`properties.${name}`)]))
  const given = Object.fromEntries(names.split(' ').map((name) => [name, `the ${name}`]))
  const { sent, params, outcome } = await send(track('Signed In', given), changed('Signed In', fields))
  expect(outcome).toEqual({ kind: 'delivered' })
  expect(params).toMatchObject(given)
  expect(sent).toMatchObject({ ip_override: '192.0.2.71', user_agent: agent })
  expect(sent).not.toHaveProperty('user_location')
})

it('each field that 0.2.0 does not have is a parameter, has a reserved name, or describes products', async () => {
  const of020 =
    'event_name client_id event_time user_id session_id transaction_id value currency items search_term page_location page_referrer email phone ad_user_data ad_personalization'
  const others = ['user_properties', 'one_product', 'price_of_one']
  const targets = googleAnalytics.actions.flatMap((action) => action.targets)
  const added = targets.filter(({ name }) => !of020.split(' ').includes(name) && !name.startsWith('ga_'))
  const names = added.map(({ name }) => name).filter((name) => !others.includes(name))
  const mappings = changed('Signed In', Object.fromEntries(names.map((name) => [name, field('properties.given')])))
  const { params } = await send(track('Signed In', { given: 5 }), mappings)
  expect(params).toMatchObject(Object.fromEntries(names.map((name) => [name, 5])))
})
