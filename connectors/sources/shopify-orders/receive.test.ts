import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { receive } from './receive.ts'

const secret = 'hush'
const settings = { signing_secret: secret, order_topic: 'orders/create' }

const call = (topic: string, body: string, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body: Buffer.from(body),
  headers: {
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': 'my-shop.myshopify.com',
    'x-shopify-webhook-id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
    'x-shopify-triggered-at': '2026-01-01T00:00:00Z',
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    ...headers,
  },
  query: new URLSearchParams(),
  receivedAt: Date.parse('2026-01-01T00:00:00Z'),
})
const receiptOf = (topic: string, object: object, given: object = settings) =>
  receive(call(topic, JSON.stringify(object)), { ...given })
const eventOf = (topic: string, object: object, given: object = settings) => {
  const receipt = receiptOf(topic, object, given)
  if (receipt === undefined || 'refusal' in receipt) throw new Error(JSON.stringify(receipt))
  return receipt.events[0]
}

/** The parts of the order resource that are read, https://shopify.dev/docs/api/admin-rest/latest/resources/order. */
const order = {
  id: 450789469,
  admin_graphql_api_id: 'gid://shopify/Order/450789469',
  browser_ip: '216.191.105.146',
  buyer_accepts_marketing: false,
  cart_token: '68778783ad298f1c80c3bafcddeea',
  checkout_token: 'bd5a8aa1ecd019dd3520ff791ee3a24c',
  client_details: {
    accept_language: 'en-US,en;q=0.9',
    browser_height: 1320,
    browser_ip: '216.191.105.146',
    browser_width: 1280,
    session_hash: '9ad4d1f4e6a8977b9dd98eed1e477643',
    user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_13_1)',
  },
  billing_address: {
    city: 'Drayton Valley',
    country_code: 'CA',
    first_name: 'Christopher',
    last_name: 'Gorski',
    phone: '(555)555-5555',
    province_code: 'AB',
    zip: 'T0E 0M0',
  },
  created_at: '2008-01-10T11:00:00-05:00',
  currency: 'USD',
  customer: { id: 207119551, email: 'bob.norman@mail.example.com', first_name: 'Bob', last_name: 'Norman' },
  customer_locale: 'en-CA',
  discount_codes: [{ code: 'SPRING30', amount: '30.00', type: 'fixed_amount' }],
  email: 'bob.norman@mail.example.com',
  landing_site: '/products/ipod?gclid=EAIaIQobChMI&fbclid=IwAR2F4&utm_source=google&utm_campaign=spring',
  line_items: [
    {
      id: 669751112,
      name: 'IPod Nano - 8gb - red',
      price: '199.99',
      product_id: 7513594,
      quantity: 1,
      sku: 'IPOD2008RED',
      title: 'IPod Nano',
      variant_id: 4264112,
      variant_title: 'red',
      vendor: 'Apple',
    },
  ],
  note_attributes: [],
  phone: '+557734881234',
  processed_at: '2008-01-10T11:00:00-05:00',
  referring_site: 'https://www.google.com/',
  subtotal_price: '398.00',
  test: false,
  total_discounts: '30.00',
  total_price: '409.94',
  total_shipping_price_set: { shop_money: { amount: '10.00', currency_code: 'USD' } },
  total_tax: '11.94',
}

test('AMB-72: an order becomes an Order Completed with value, person, browser, and the clicks of its landing page', () => {
  expect(eventOf('orders/create', order)).toEqual({
    type: 'track',
    event: 'Order Completed',
    messageId: 'shopify-order-450789469',
    timestamp: '2008-01-10T16:00:00.000Z',
    userId: '207119551',
    anonymousId: '68778783ad298f1c80c3bafcddeea',
    properties: {
      order_id: '450789469',
      checkout_id: 'bd5a8aa1ecd019dd3520ff791ee3a24c',
      value: 409.94,
      total: 409.94,
      subtotal: 398,
      shipping: 10,
      tax: 11.94,
      discount: 30,
      coupon: 'SPRING30',
      currency: 'USD',
      products: [
        {
          product_id: '7513594',
          variant: 'red',
          sku: 'IPOD2008RED',
          name: 'IPod Nano',
          brand: 'Apple',
          price: 199.99,
          quantity: 1,
        },
      ],
    },
    context: {
      shopify: {
        topic: 'orders/create',
        shop_domain: 'my-shop.myshopify.com',
        webhook_id: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
      },
      traits: {
        email: 'bob.norman@mail.example.com',
        phone: '+557734881234',
        firstName: 'Bob',
        lastName: 'Norman',
        address: { city: 'Drayton Valley', state: 'AB', postalCode: 'T0E 0M0', country: 'CA' },
      },
      ip: '216.191.105.146',
      userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_13_1)',
      locale: 'en-CA',
      page: {
        url: `https://my-shop.myshopify.com${order.landing_site}`,
        referrer: 'https://www.google.com/',
      },
      clickIds: { gclid: 'EAIaIQobChMI', fbclid: 'IwAR2F4' },
      campaign: { source: 'google', campaign: 'spring' },
    },
  })
})

test('an order counts once, whichever webhooks a shop has and however often they arrive', () => {
  expect(eventOf('orders/paid', order)).toBeUndefined()
  const paid = { ...settings, order_topic: 'orders/paid' }
  expect(eventOf('orders/create', order, paid)).toBeUndefined()
  const ids = [eventOf('orders/paid', order, paid), eventOf('orders/create', order)].map(
    (event) => event?.['messageId'],
  )
  expect(new Set(ids)).toEqual(new Set(['shopify-order-450789469']))
})

test('amounts are in the unit of their currency, with any decimals, and are omitted if they are not numbers', () => {
  const properties = (price: unknown, currency = 'JPY') =>
    eventOf('orders/create', { ...order, total_price: price, currency })?.['properties']
  expect(properties('1500')).toMatchObject({ value: 1500, currency: 'JPY' })
  expect(properties('12.345', 'kwd')).toMatchObject({ value: 12.345, currency: 'KWD' })
  for (const wrong of ['1.234,50', 'NaN', null, {}, '1e5']) expect(properties(wrong)).not.toHaveProperty('value')
})

test("visitor data of the theme decides the order's user and consent", () => {
  const note_attributes = [
    { name: 'tributary_id', value: '6f0c3a52-5a0e-4b2e-9d3a-1c2b3a4d5e6f' },
    { name: 'tributary_consent', value: 'denied' },
  ]
  expect(eventOf('orders/create', { ...order, note_attributes })).toMatchObject({
    anonymousId: '6f0c3a52-5a0e-4b2e-9d3a-1c2b3a4d5e6f',
    context: { consent: { categoryPreferences: { advertising: false } } },
  })
})

/** https://shopify.dev/docs/api/admin-rest/latest/resources/refund, shortened. */
const refund = {
  id: 929361464,
  order_id: 450789469,
  created_at: '2020-01-14T10:34:55-05:00',
  note: 'wrong size',
  processed_at: '2020-01-14T10:34:55-05:00',
  refund_line_items: [
    {
      id: 1058498311,
      quantity: 1,
      line_item: {
        id: 518995019,
        product_id: 632910392,
        title: 'IPod Nano - 8gb',
        sku: 'IPOD2008RED',
        price: '199.00',
        quantity: 2,
      },
    },
  ],
  transactions: [
    { id: 1, kind: 'refund', status: 'success', amount: '41.94', currency: 'USD' },
    { id: 2, kind: 'refund', status: 'failure', amount: '5.00', currency: 'USD' },
    { id: 3, kind: 'refund', status: 'success', amount: '0.10', currency: 'USD' },
  ],
}

test('a refund becomes an Order Refunded with the refunded amount and the ID of its order', () => {
  expect(eventOf('refunds/create', refund)).toMatchObject({
    event: 'Order Refunded',
    messageId: 'shopify-refund-929361464',
    timestamp: '2020-01-14T15:34:55.000Z',
    properties: {
      order_id: '450789469',
      refund_id: '929361464',
      value: 42.04,
      currency: 'USD',
      reason: 'wrong size',
      products: [{ product_id: '632910392', quantity: 1, price: 199 }],
    },
  })
  expect(eventOf('refunds/create', { ...refund, transactions: [] })).toBeUndefined()
})

test('a checkout becomes a Checkout Started; other topics are accepted and not stored', () => {
  expect(eventOf('checkouts/create', { ...order, id: 1, token: 't1' })).toMatchObject({
    event: 'Checkout Started',
    messageId: 'shopify-checkout-t1',
    properties: { checkout_id: 't1', value: 409.94 },
  })
  for (const topic of ['carts/update', 'constructor', '__proto__'])
    expect(receiptOf(topic, order)).toEqual({ events: [] })
})

test.each([
  ['without a secret', 'orders/create', '{"id":1}', {}, {}, 'SIGNING_SECRET_NOT_SET'],
  ['unsigned', 'orders/create', '{"id":1}', { 'x-shopify-hmac-sha256': '' }, settings, 'SIGNATURE_MISSING'],
  ['signed with another secret', 'orders/create', '{"id":1}', {}, { signing_secret: 'other' }, 'SIGNATURE_INVALID'],
  ['that is no object', 'orders/create', '[1]', {}, settings, 'NOT_A_SHOPIFY_WEBHOOK'],
  ['without a topic', '', '{"id":1}', {}, settings, 'NOT_A_SHOPIFY_WEBHOOK'],
  ['of an order without an ID', 'orders/create', '{"id":null}', {}, settings, 'NOT_A_SHOPIFY_WEBHOOK'],
  ['of a refund without an ID', 'refunds/create', '{}', {}, settings, 'NOT_A_SHOPIFY_WEBHOOK'],
])('a webhook call %s is refused', (_, topic, body, headers, given, reason) => {
  expect(receive(call(topic, body, headers as Record<string, string>), given)).toMatchObject({ refusal: { reason } })
})

test('members of undocumented types are omitted, and IDs of 19 digits keep their digits', () => {
  const odd =
    '{"id":9223372036854775807,"customer":[1],"client_details":"x","line_items":{"a":1},"note_attributes":7,"discount_codes":null,"landing_site":"http://[","currency":5}'
  const receipt = receive(call('orders/create', odd), settings)
  expect(receipt).toMatchObject({
    events: [{ messageId: 'shopify-order-9223372036854775807', properties: { products: [] } }],
  })
})
