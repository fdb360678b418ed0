import { createHmac } from 'node:crypto'
import type { WebhookCall } from '@tributary/connector-kit'
import { describe, expect, test } from 'vitest'
import { stripe } from './definition.ts'
import { receive } from './receive.ts'

const secret = 'whsec_test_secret'
const now = Date.parse('2026-01-01T00:00:00Z')
const seconds = now / 1000

/** Returns a call as Stripe makes it, https://docs.stripe.com/webhooks#verify-manually. */
const call = (body: string, header: string | undefined, receivedAt = now): WebhookCall => ({
  method: 'POST',
  body: Buffer.from(body),
  headers: header === undefined ? {} : { 'stripe-signature': header },
  query: new URLSearchParams(),
  receivedAt,
})
const sign = (body: string, key = secret, time: number | string = seconds): string =>
  createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
const signed = (body: string): WebhookCall => call(body, `t=${seconds},v1=${sign(body)}`)
const reasonOf = (given: WebhookCall, settings: object = { signing_secret: secret }): string | number => {
  const receipt = receive(given, { ...settings })
  if (receipt === undefined) return 'undefined'
  return 'refusal' in receipt ? receipt.refusal.reason : receipt.events.length
}
const eventsOf = (event: object, settings: object = {}) => {
  const receipt = receive(signed(JSON.stringify(event)), {
    signing_secret: secret,
    user_id_key: 'user_id',
    ...settings,
  })
  if (receipt === undefined || 'refusal' in receipt) throw new Error(JSON.stringify(receipt))
  return receipt.events
}

describe('the signature of a Stripe webhook', () => {
  const body = '{"id":"evt_test_webhook","object":"event","type":"ping"}'
  const good = sign(body)

  test('the signature equals the one that openssl computes', () => {
    // Computed with: printf '1767225600.{…}' | openssl dgst -sha256 -hmac whsec_test_secret
    expect(
      reasonOf(call(body, 't=1767225600,v1=271f21e725d28fb49f161718493340f960bc8e8f1d8b0f74a4ef708a9ef85647')),
    ).toBe(1)
  })

  test.each([
    ['one of several, as while a secret is rolled', `t=${seconds},v1=${sign(body, 'whsec_old')},v1=${good}`, now, 1],
    ['of another scheme beside it', `t=${seconds},v1=${good},v0=${'6'.repeat(64)}`, now, 1],
    ['five minutes old', `t=${seconds},v1=${good}`, now + 300_000, 1],
    ['older', `t=${seconds},v1=${good}`, now + 300_001, 'SIGNATURE_EXPIRED'],
    ['old, with a new time', `t=${seconds + 600},v1=${good}`, now + 600_000, 'SIGNATURE_INVALID'],
    ['of another secret', `t=${seconds},v1=${sign(body, 'whsec_other')}`, now, 'SIGNATURE_INVALID'],
    ['of another body', `t=${seconds},v1=${sign('{}')}`, now, 'SIGNATURE_INVALID'],
    ['of the other scheme only', `t=${seconds},v0=${good}`, now, 'SIGNATURE_MISSING'],
    ['too short', `t=${seconds},v1=${good.slice(2)}`, now, 'SIGNATURE_MISSING'],
    ['without a time', `v1=${good}`, now, 'SIGNATURE_MISSING'],
    ['no list', 'nonsense', now, 'SIGNATURE_MISSING'],
    ['absent', undefined, now, 'SIGNATURE_MISSING'],
  ])('%s', (_, header, receivedAt, wanted) => {
    expect(reasonOf(call(body, header, receivedAt))).toBe(wanted)
  })

  test('the signature covers the bytes, not the parsed JSON', () => {
    expect(reasonOf(call(body.replace(':', ': '), `t=${seconds},v1=${good}`))).toBe('SIGNATURE_INVALID')
  })

  test('a signature is refused without a secret, and the signed body must be an event', () => {
    expect(receive(signed(body), {})).toMatchObject({ refusal: { code: 401, reason: 'SIGNING_SECRET_NOT_SET' } })
    for (const text of ['{}', '[]', 'x', '{"id":1,"type":"a"}'])
      expect(reasonOf(signed(text))).toBe('NOT_A_STRIPE_EVENT')
  })
})

// The event has the form of the event object in https://docs.stripe.com/api/events/object.
const invoicePaid = {
  id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  object: 'event',
  api_version: '2019-02-19',
  created: 1686089970,
  data: {
    object: { id: 'in_1', object: 'invoice', customer: 'cus_1', total: 4900, currency: 'eur', metadata: {} },
    previous_attributes: { status: 'open' },
  },
  livemode: true,
  pending_webhooks: 0,
  request: { id: null, idempotency_key: null },
  type: 'invoice.paid',
}

test('a Stripe event becomes a track event named by its type, with the object as properties and the envelope in context', () => {
  expect(eventsOf(invoicePaid)).toEqual([
    {
      type: 'track',
      event: 'invoice.paid',
      messageId: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
      anonymousId: 'cus_1',
      timestamp: '2023-06-06T22:19:30.000Z',
      properties: invoicePaid.data.object,
      context: {
        stripe: {
          id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
          object: 'event',
          api_version: '2019-02-19',
          created: 1686089970,
          livemode: true,
          pending_webhooks: 0,
          request: { id: null, idempotency_key: null },
          type: 'invoice.paid',
          previous_attributes: { status: 'open' },
        },
      },
    },
  ])
})

test.each([
  ['the metadata', { metadata: { user_id: 'u-1' }, customer: 'cus_1' }, {}, { userId: 'u-1', anonymousId: 'cus_1' }],
  [
    'a key of the settings',
    { metadata: { uid: 'u-2' } },
    { user_id_key: 'uid' },
    { userId: 'u-2', anonymousId: 'stripe' },
  ],
  ['the client reference', { client_reference_id: 'u-3' }, {}, { userId: 'u-3' }],
  ['an expanded customer', { customer: { id: 'cus_4' } }, {}, { anonymousId: 'cus_4' }],
  ['nobody', {}, {}, { anonymousId: 'stripe' }],
])('the user of a Stripe event is the one that %s names', (_, object, settings, wanted) => {
  expect(eventsOf({ ...invoicePaid, data: { object } }, settings)[0]).toMatchObject(wanted)
})

test('a changed customer is also an identify call, and events of test mode are tests', () => {
  const object = { id: 'cus_7', object: 'customer', email: 'a@example.com', name: null, metadata: { user_id: 'u-7' } }
  expect(eventsOf({ ...invoicePaid, type: 'customer.updated', livemode: false, data: { object } })).toMatchObject([
    {
      type: 'identify',
      messageId: 'evt_1NG8Du2eZvKYlo2CUI79vXWy-identify',
      userId: 'u-7',
      anonymousId: 'cus_7',
      traits: { email: 'a@example.com', stripe_customer_id: 'cus_7' },
      context: { test: true },
    },
    { type: 'track', event: 'customer.updated', context: { test: true } },
  ])
})

test('a thin event becomes an event with the few fields that it has', () => {
  const related_object = { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' }
  const event = { id: 'evt_v2', object: 'v2.core.event', type: 'v1.billing.meter.error_report_triggered' }
  expect(
    eventsOf({ ...event, created: '2026-01-01T00:00:00.000Z', data: { reason: 'x' }, related_object })[0],
  ).toMatchObject({ timestamp: '2026-01-01T00:00:00.000Z', properties: { reason: 'x', related_object } })
})

test('an object that is too large for an event loses its largest parts, which the event lists', () => {
  const lines = { data: Array.from({ length: 400 }, (_, id) => ({ id, text: 'x'.repeat(100) })) }
  const [event] = eventsOf({ ...invoicePaid, data: { object: { ...invoicePaid.data.object, lines, charge: null } } })
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(32 * 1024)
  expect(event).toMatchObject({
    properties: { id: 'in_1', total: 4900 },
    context: { left_out: ['null values', 'lines'] },
  })
})

test.each([
  ['whsec_abc', {}],
  [' whsec_abc\n', {}],
  [undefined, {}],
  ['sk_live_abc', { signing_secret: expect.stringContaining('whsec_') }],
])('the secret %j is checked when it is set', (signing_secret, problems) => {
  expect(stripe.check?.({ signing_secret })).toEqual(problems)
})

test('a secret that was pasted with a line break works', () => {
  const body = '{"id":"evt_1","type":"ping"}'
  expect(reasonOf(signed(body), { signing_secret: `${secret}\n` })).toBe(1)
})
