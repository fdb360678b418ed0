import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { majorUnits } from './amounts.ts'
import { receive } from './receive.ts'

const secret = 'whsec_test_secret'
const now = Date.parse('2026-01-01T00:00:00Z')
const settings = { signing_secret: secret, user_id_key: 'user_id', order_event: 'checkout' }

const call = (body: string, age = 0) => {
  const time = now / 1000 - age
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return {
    method: 'POST',
    body: Buffer.from(body),
    headers: { 'stripe-signature': `t=${time},v1=${signature}` },
    query: new URLSearchParams(),
    receivedAt: now,
  }
}
const eventOf = (
  type: string,
  object: object,
  more: { previous?: object; given?: object; livemode?: boolean } = {},
) => {
  const body = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    created: 1686089970,
    livemode: more.livemode ?? true,
    type,
    data: { object, ...(more.previous === undefined ? {} : { previous_attributes: more.previous }) },
  })
  const receipt = receive(call(body), { ...settings, ...more.given })
  if (receipt === undefined || 'refusal' in receipt) throw new Error(JSON.stringify(receipt))
  return receipt.events[0]
}

/** The used parts of a session, https://docs.stripe.com/api/checkout/sessions/object. */
const session = {
  id: 'cs_test_a11YYufWQzNY63zpQ6QSNRQhkUpVph4WRmzW0zWJO2znZKdVujZ0N0S22u',
  object: 'checkout.session',
  amount_subtotal: 2198,
  amount_total: 2398,
  client_reference_id: null,
  currency: 'usd',
  customer: 'cus_1',
  customer_details: {
    address: { city: 'Berlin', country: 'DE', line1: 'A 1', line2: null, postal_code: '10115', state: null },
    email: 'jane@example.com',
    name: 'Jane van Doe',
    phone: '+4930123456',
  },
  customer_email: null,
  livemode: true,
  metadata: {},
  mode: 'payment',
  payment_intent: 'pi_1',
  payment_status: 'paid',
  status: 'complete',
  total_details: { amount_discount: 0, amount_shipping: 200, amount_tax: 0 },
}

test("AMB-72: a paid checkout becomes an Order Completed with amounts in the currency's unit, and the person", () => {
  expect(eventOf('checkout.session.completed', session)).toEqual({
    type: 'track',
    event: 'Order Completed',
    messageId: 'stripe-order-pi_1',
    timestamp: '2023-06-06T22:19:30.000Z',
    anonymousId: 'cus_1',
    properties: {
      order_id: 'pi_1',
      checkout_id: session.id,
      payment_intent: 'pi_1',
      value: 23.98,
      total: 23.98,
      subtotal: 21.98,
      shipping: 2,
      tax: 0,
      discount: 0,
      currency: 'USD',
    },
    context: {
      stripe: { id: 'evt_1', object: 'event', created: 1686089970, livemode: true, type: 'checkout.session.completed' },
      traits: {
        email: 'jane@example.com',
        phone: '+4930123456',
        firstName: 'Jane',
        lastName: 'van Doe',
        address: { city: 'Berlin', postalCode: '10115', country: 'DE' },
      },
    },
  })
})

test('metadata provides the order, the user, the visitor, the consent, and the click', () => {
  const metadata = {
    order_id: 'order-1001',
    user_id: 'user-1',
    tributary_id: 'visitor-1',
    tributary_consent: 'granted',
    gclid: 'EAIaIQ',
    utm_source: 'google',
  }
  expect(eventOf('checkout.session.completed', { ...session, metadata }, { livemode: false })).toMatchObject({
    messageId: 'stripe-order-order-1001',
    userId: 'user-1',
    anonymousId: 'visitor-1',
    properties: { order_id: 'order-1001', payment_intent: 'pi_1' },
    context: {
      clickIds: { gclid: 'EAIaIQ' },
      campaign: { source: 'google' },
      consent: { categoryPreferences: { advertising: true } },
      test: true,
    },
  })
})

test('a checkout with a pending payment counts once, when the payment arrives', () => {
  expect(eventOf('checkout.session.completed', { ...session, payment_status: 'unpaid' })).toBeUndefined()
  expect(eventOf('checkout.session.async_payment_succeeded', session)).toMatchObject({ messageId: 'stripe-order-pi_1' })
  expect(eventOf('checkout.session.completed', { ...session, mode: 'setup', payment_intent: null })).toBeUndefined()
})

test('the settings choose whether checkout or payment counts, under one order ID', () => {
  const payment = {
    id: 'pi_1',
    object: 'payment_intent',
    amount_received: 2398,
    currency: 'usd',
    customer: 'cus_1',
    receipt_email: 'jane@example.com',
    metadata: {},
  }
  const given = { order_event: 'payment_intent' }
  expect(eventOf('payment_intent.succeeded', payment)).toBeUndefined()
  expect(eventOf('checkout.session.completed', session, { given })).toBeUndefined()
  expect(eventOf('payment_intent.succeeded', payment, { given })).toMatchObject({
    messageId: 'stripe-order-pi_1',
    properties: { order_id: 'pi_1', value: 23.98 },
    context: { traits: { email: 'jane@example.com' } },
  })
})

/** The used parts of a charge, https://docs.stripe.com/api/charges/object. */
const charge = {
  id: 'ch_1',
  object: 'charge',
  amount: 2398,
  amount_refunded: 1500,
  billing_details: { address: null, email: 'jane@example.com', name: 'Jane', phone: null },
  currency: 'usd',
  customer: 'cus_1',
  metadata: {},
  payment_intent: 'pi_1',
  refunded: false,
}

test('a refund becomes an Order Refunded with the newly refunded amount, under the ID of its order', () => {
  expect(eventOf('charge.refunded', charge, { previous: { amount_refunded: 1000 } })).toMatchObject({
    event: 'Order Refunded',
    messageId: 'evt_1',
    properties: { order_id: 'pi_1', refund_id: 'ch_1', value: 5, currency: 'USD' },
  })
  expect(eventOf('charge.refunded', charge)).toMatchObject({ properties: { value: 15 } })
  expect(eventOf('charge.refunded', charge, { previous: { amount_refunded: 1500 } })).toBeUndefined()
})

test.each([
  // https://docs.stripe.com/currencies: "Zero-decimal currencies", "Three-decimal currencies" and "Special cases".
  [1099, 'usd', 10.99],
  [500, 'jpy', 500],
  [500, 'krw', 500],
  [500, 'mga', 500],
  [500, 'xpf', 500],
  [500, 'isk', 5],
  [500, 'ugx', 5],
  [1000, 'huf', 10],
  [80000, 'twd', 800],
  [5130, 'kwd', 5.13],
  [1, 'eur', 0.01],
  [0, 'eur', 0],
  [29, 'eur', 0.29],
  [1.5, 'eur', undefined],
  ['1099', 'usd', undefined],
  [null, 'usd', undefined],
  [1099, undefined, undefined],
])('the Stripe amount %s of %s is %s', (amount, currency, wanted) => {
  expect(majorUnits(amount, currency)).toBe(wanted)
})

test('an order ID of any length gives a message ID within the limit', () => {
  const metadata = { order_id: 'x'.repeat(500) }
  const made = eventOf('checkout.session.completed', { ...session, metadata })
  expect(String(made?.['messageId']).length).toBeLessThanOrEqual(100)
  expect(made).toMatchObject({ properties: metadata })
})

test('repeated events have the same message ID; an event without a conversion is accepted and not stored', () => {
  const ids = [1, 2].map(() => eventOf('checkout.session.completed', session)?.['messageId'])
  expect(ids[0]).toBe(ids[1])
  for (const type of ['invoice.paid', 'constructor', '__proto__']) expect(eventOf(type, session)).toBeUndefined()
})

test('an unsigned, old, or invalid event is refused', () => {
  const body = '{"id":"evt_1","type":"charge.refunded","data":{"object":7}}'
  const reason = (given: ReturnType<typeof call>, by: object = settings) => receive(given, { ...by })
  expect(reason(call(body), {})).toMatchObject({ refusal: { reason: 'SIGNING_SECRET_NOT_SET' } })
  expect(reason({ ...call(body), headers: { 'stripe-signature': '' } })).toMatchObject({ refusal: { code: 401 } })
  expect(reason(call(body), { signing_secret: 'whsec_x' })).toMatchObject({ refusal: { reason: 'SIGNATURE_INVALID' } })
  expect(reason(call(body, 301))).toMatchObject({ refusal: { reason: 'SIGNATURE_EXPIRED' } })
  expect(reason(call('[]'))).toMatchObject({ refusal: { code: 400, reason: 'NOT_A_STRIPE_EVENT' } })
  expect(reason(call(body))).toEqual({ events: [] })
})
