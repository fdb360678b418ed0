import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { receive } from './receive.ts'

const secret = 'hush'
const now = Date.parse('2026-01-01T00:00:00Z')

/** Returns headers in the form of https://shopify.dev/docs/apps/build/webhooks/subscribe#headers. */
const headersFor = (topic: string): Record<string, string> => ({
  'x-shopify-topic': topic,
  'x-shopify-shop-domain': 'my-shop.myshopify.com',
  'x-shopify-api-version': '2026-01',
  'x-shopify-webhook-id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
  'x-shopify-event-id': '98880550-7158-44d4-b7cd-2c97c8a091b5',
  'x-shopify-triggered-at': '2025-12-31T23:59:58.987654321Z',
})
const hmac = (body: string, key = secret): string => createHmac('sha256', key).update(body).digest('base64')
const call = (body: string, headers: Record<string, string>) => ({
  method: 'POST',
  body: Buffer.from(body),
  headers,
  query: new URLSearchParams(),
  receivedAt: now,
})
const eventsOf = (topic: string, object: object, more: Record<string, string> = {}) => {
  const body = JSON.stringify(object)
  const headers = { ...headersFor(topic), 'x-shopify-hmac-sha256': hmac(body), ...more }
  const receipt = receive(call(body, headers), { signing_secret: secret })
  if (receipt === undefined || 'refusal' in receipt) throw new Error(JSON.stringify(receipt))
  return receipt.events
}

const body = '{"id":706405506930370084,"email":"bob@biller.com"}'
test.each([
  // Computed with: printf '{…}' | openssl dgst -sha256 -hmac hush -binary | base64
  [
    'the one that openssl computes',
    body,
    'WxDgBL1/ovzvO2Lfp0EetoVjhhhSMbm2zV5VGVf5us8=',
    { signing_secret: secret },
    1,
  ],
  ['of another secret', body, hmac(body, 'other'), { signing_secret: secret }, 'SIGNATURE_INVALID'],
  ['of another body', `${body} `, hmac(body), { signing_secret: secret }, 'SIGNATURE_INVALID'],
  ['in hex', body, Buffer.from(hmac(body), 'base64').toString('hex'), { signing_secret: secret }, 'SIGNATURE_INVALID'],
  ['with a secret of blanks', body, hmac(body, ''), { signing_secret: '  ' }, 'SIGNING_SECRET_NOT_SET'],
  ['empty', body, '', { signing_secret: secret }, 'SIGNATURE_MISSING'],
  ['without a secret to check it', body, hmac(body), {}, 'SIGNING_SECRET_NOT_SET'],
  ['of what is no object', '[1]', hmac('[1]'), { signing_secret: secret }, 'NOT_A_SHOPIFY_WEBHOOK'],
])('a Shopify signature is checked: %s', (_, sent, signature, settings, wanted) => {
  const receipt = receive(call(sent, { ...headersFor('orders/create'), 'x-shopify-hmac-sha256': signature }), settings)
  if (receipt === undefined) throw new Error('no receipt')
  expect('refusal' in receipt ? receipt.refusal.reason : receipt.events.length).toBe(wanted)
  if ('refusal' in receipt) expect(receipt.refusal.code).toBe(sent === '[1]' ? 400 : 401)
})

test('IDs of 19 digits and amounts keep their digits, as properties and as the user', () => {
  const text = '{"id":9223372036854775807,"total":403.00,"customer":{"id":706405506930370085}}'
  const headers = { ...headersFor('orders/create'), 'x-shopify-hmac-sha256': hmac(text) }
  const receipt = receive(call(text, headers), { signing_secret: secret })
  const [event] = receipt === undefined || 'refusal' in receipt ? [] : receipt.events
  expect(event?.['userId']).toBe('706405506930370085')
  expect(JSON.stringify(event?.['properties'])).toBe(text)
})

test('an order becomes a track event named by its topic, with its customer as user', () => {
  const order = { id: 820982911, total_price: '403.00', currency: 'USD', customer: { id: 115310627 }, line_items: [] }
  expect(eventsOf('orders/create', order)).toEqual([
    {
      type: 'track',
      event: 'orders/create',
      messageId: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
      userId: '115310627',
      timestamp: '2025-12-31T23:59:58.987Z',
      properties: order,
      context: {
        shopify: {
          topic: 'orders/create',
          shop_domain: 'my-shop.myshopify.com',
          api_version: '2026-01',
          webhook_id: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
          event_id: '98880550-7158-44d4-b7cd-2c97c8a091b5',
        },
      },
    },
  ])
})

test.each([
  ['a guest by the cart', 'orders/create', { id: 1, cart_token: 'c1' }, { anonymousId: 'c1' }],
  ['nobody by the shop', 'products/update', { id: 1 }, { anonymousId: 'my-shop.myshopify.com' }],
  ['a customer by itself', 'customers/delete', { id: 7 }, { userId: '7' }],
  ['a test order as a test', 'orders/create', { id: 1, test: true }, { context: { test: true } }],
])('%s', (_, topic, object, wanted) => {
  expect(eventsOf(topic, object)[0]).toMatchObject(wanted)
})

test('a test notification is a test event, and a changed customer is also an identify call', () => {
  const customer = { id: 115310627, email: 'bob@biller.com', first_name: 'Bob', default_address: { city: 'Ottawa' } }
  expect(eventsOf('customers/update', customer, { 'x-shopify-test': 'true' })).toMatchObject([
    {
      type: 'identify',
      messageId: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043-identify',
      userId: '115310627',
      traits: { email: 'bob@biller.com', address: { city: 'Ottawa' }, shopify_customer_id: '115310627' },
      context: { test: true },
    },
    { type: 'track', event: 'customers/update', context: { test: true } },
  ])
})

test('a large order first loses repeated amounts', () => {
  const money = { shop_money: { amount: '1.00', currency_code: 'USD' } }
  const line_items = Array.from({ length: 150 }, (_, id) => ({
    id,
    title: 'x'.repeat(80),
    price_set: money,
    total_discount_set: money,
  }))
  const [event] = eventsOf('orders/create', { id: 1, total_price: '150.00', line_items, note: null })
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(32 * 1024)
  expect(event).toMatchObject({
    context: { left_out: ['values of _set and empty ones'] },
    properties: { line_items: Array.from({ length: 150 }, (_, id) => ({ id })) },
  })
})

test('a body with thousands of properties is quickly cut to an event within the size limit', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 'x'.repeat(10)]))
  const started = process.cpuUsage()
  const [event] = eventsOf('orders/create', { id: 1, ...many })
  const { user, system } = process.cpuUsage(started)
  expect(user + system).toBeLessThan(2_000_000)
  expect(JSON.stringify(event).length).toBeLessThan(32 * 1024)
  expect((event as { context: { left_out: string[] } }).context.left_out).toHaveLength(20)
})
