import { createHmac } from 'node:crypto'
import { createSource, createWorkspace, eventually, type TestSource } from '@tributary/test-kit'
import { beforeAll, describe, expect, test } from 'vitest'
import { storedEvents } from './calls.ts'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let product: SharedProduct
let workspace: string
beforeAll(async () => {
  product = await joinProduct()
  workspace = (await createWorkspace(product.api)).workspace
})

const make = (app: string, title = app): Promise<TestSource> => createSource(product.api, workspace, title, app)

const set = (source: string, name: string, value: unknown) =>
  product.api.ok('POST', `/${source}/app:updateSetting`, { name, value })

type Answer = { status: number; reason: string | undefined }
const deliver = async (key: string, body: string, headers: Record<string, string>): Promise<Answer> => {
  const answer = await fetch(`${product.url}/v1/webhook?writeKey=${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: answer.status, reason: ((await answer.json()) as { reason?: string }).reason }
}

type Refused = { reason: string; code: number; count: number; sample: string; message: string }
const refusedOf = (source: string, wanted: Record<string, number>): Promise<Refused[]> =>
  eventually('the refused requests', async () => {
    const { refused_requests } = (await product.api.ok('GET', `/${source}/refusedRequests`)) as {
      refused_requests: Refused[]
    }
    const counts = Object.fromEntries(refused_requests.map(({ reason, count }) => [reason, count]))
    return JSON.stringify(Object.entries(counts).toSorted()) === JSON.stringify(Object.entries(wanted).toSorted())
      ? refused_requests
      : undefined
  })

const stored = (source: string, count: number) =>
  eventually('the events stored', async () => {
    const events = await storedEvents(product, source)
    return events.length >= count && events
  })

const accepted: Answer = { status: 200, reason: undefined }

describe('webhooks of Stripe', () => {
  const secret = 'whsec_3f1f9d6c2b'
  /** Returns a signature as Stripe creates it, https://docs.stripe.com/webhooks#verify-manually. */
  const signature = (body: string, keys: readonly string[] = [secret], time = Math.floor(Date.now() / 1000)): string =>
    [
      `t=${time}`,
      ...keys.map((key) => `v1=${createHmac('sha256', key).update(`${time}.${body}`).digest('hex')}`),
      `v0=${'6'.repeat(64)}`,
    ].join(',')
  const event = (id: string, type: string, object: object): string =>
    JSON.stringify(
      {
        id,
        object: 'event',
        api_version: '2026-10-28.endive',
        created: 1_686_089_970,
        data: { object },
        livemode: true,
        pending_webhooks: 1,
        request: { id: 'req_1', idempotency_key: null },
        type,
      },
      null,
      2,
    )
  const send = (key: string, body: string, header: string | undefined = signature(body)): Promise<Answer> =>
    deliver(key, body, header === '' ? {} : { 'stripe-signature': header, 'user-agent': 'Stripe/1.0' })

  test('Stripe webhooks are refused until the secret is set; then they are stored once, under their type', async () => {
    const { source, key } = await make('stripe')
    const paid = event('evt_1', 'invoice.paid', {
      id: 'in_1',
      object: 'invoice',
      customer: 'cus_1',
      currency: 'eur',
      total: 4900,
      created: 1_686_089_900,
      livemode: true,
    })
    expect(await send(key, paid)).toEqual({ status: 401, reason: 'SIGNING_SECRET_NOT_SET' })
    await set(source, 'signing_secret', secret)
    expect(await send(key, paid)).toEqual(accepted)
    expect(await send(key, paid)).toEqual(accepted)
    const rolled = event('evt_2', 'customer.created', { id: 'cus_1', object: 'customer', email: 'a@example.com' })
    expect(await send(key, rolled, signature(rolled, ['whsec_old', secret]))).toEqual(accepted)
    const events = await stored(source, 3)
    expect(events.map(({ message_id, type, status }) => [message_id, type, status]).toSorted()).toEqual([
      ['evt_1', 'track', 'accepted'],
      ['evt_2', 'track', 'accepted'],
      ['evt_2-identify', 'identify', 'accepted'],
    ])
    const one = await product.api.ok('GET', `/${events.find((each) => each.message_id === 'evt_1')?.name}`)
    // The schema of the source had the event from the beginning.
    expect(one).toMatchObject({
      title: 'invoice.paid',
      timestamp: '2023-06-06T22:19:30.000Z',
      compatibility: 'compatible',
    })
    expect(JSON.stringify(one)).toContain('4900')
    await refusedOf(source, { SIGNING_SECRET_NOT_SET: 1 })
  })

  test('Stripe webhooks that are changed, unsigned, old, or signed with another secret are refused, counted, and shown', async () => {
    const { source, key } = await make('stripe')
    await set(source, 'signing_secret', secret)
    const body = event('evt_9', 'charge.succeeded', { id: 'ch_1', amount: 100, receipt_email: 'a@example.com' })
    const answers = [
      await send(key, body.replace('100', '900'), signature(body)),
      await send(key, body, signature(body, ['whsec_other'])),
      await send(key, body, ''),
      await send(key, body, signature(body, [secret], Math.floor(Date.now() / 1000) - 301)),
    ]
    expect(answers).toEqual([
      { status: 401, reason: 'SIGNATURE_INVALID' },
      { status: 401, reason: 'SIGNATURE_INVALID' },
      { status: 401, reason: 'SIGNATURE_MISSING' },
      { status: 401, reason: 'SIGNATURE_EXPIRED' },
    ])
    const forged = await fetch(`${product.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}` },
      body: JSON.stringify({ event: 'charge.succeeded', userId: 'u' }),
    })
    expect(forged.status).toBe(403)
    const rows = await refusedOf(source, {
      SIGNATURE_INVALID: 2,
      SIGNATURE_MISSING: 1,
      SIGNATURE_EXPIRED: 1,
      SIGNED_WEBHOOK_ONLY: 1,
    })
    expect(rows.find(({ reason }) => reason === 'SIGNATURE_MISSING')?.sample).toContain('charge.succeeded')
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(JSON.stringify(rows)).not.toContain(key)
    expect(await storedEvents(product, source)).toEqual([])
  })

  test('a changed Stripe secret applies within two seconds, and is never shown', async () => {
    const { source, key } = await make('stripe')
    await set(source, 'signing_secret', secret)
    const body = event('evt_1', 'payout.paid', { id: 'po_1' })
    expect(await send(key, body)).toEqual(accepted)
    await set(source, 'signing_secret', 'whsec_new')
    await eventually(
      'the new secret',
      async () => (await send(key, body, signature(body, ['whsec_new']))).status === 200,
      2000,
    )
    expect(await send(key, body)).toMatchObject({ reason: 'SIGNATURE_INVALID' })
    expect(JSON.stringify(await product.api.ok('GET', `/${source}`))).not.toContain('whsec')
  })
})

describe('webhooks of Shopify', () => {
  /** Returns headers in the form of https://shopify.dev/docs/apps/build/webhooks/subscribe/https. */
  const headersOf = (body: string, topic: string, id: string, secret: string): Record<string, string> => ({
    'X-Shopify-Topic': topic,
    'X-Shopify-Hmac-Sha256': createHmac('sha256', secret).update(body).digest('base64'),
    'X-Shopify-Shop-Domain': 'my-shop.myshopify.com',
    'X-Shopify-API-Version': '2026-10',
    'X-Shopify-Webhook-Id': id,
    'X-Shopify-Triggered-At': '2026-11-20T10:00:00.123456789Z',
  })

  test('signed Shopify webhooks are stored once, under their topic; others are refused and counted', async () => {
    const { source, key } = await make('shopify')
    const order = JSON.stringify({ id: 820982911, total_price: '403.00', customer: { id: 115310627 }, line_items: [] })
    const good = headersOf(order, 'orders/create', 'webhook-1', 'hush')
    expect(await deliver(key, order, good)).toEqual({ status: 401, reason: 'SIGNING_SECRET_NOT_SET' })
    await set(source, 'signing_secret', 'hush')
    expect(await deliver(key, order, good)).toEqual(accepted)
    expect(await deliver(key, order, good)).toEqual(accepted)
    expect(await deliver(key, order.replace('403', '1'), good)).toMatchObject({ reason: 'SIGNATURE_INVALID' })
    expect(await deliver(key, order, headersOf(order, 'orders/create', 'webhook-2', 'other'))).toMatchObject({
      reason: 'SIGNATURE_INVALID',
    })
    expect(await deliver(key, order, { 'X-Shopify-Topic': 'orders/create' })).toMatchObject({
      reason: 'SIGNATURE_MISSING',
    })
    const events = await stored(source, 1)
    const one = await product.api.ok('GET', `/${events[0]?.name}`)
    expect(one).toMatchObject({
      message_id: 'webhook-1',
      title: 'orders/create',
      status: 'accepted',
      timestamp: '2026-11-20T10:00:00.123Z',
    })
    expect(JSON.stringify(one)).toContain('115310627')
    await refusedOf(source, { SIGNING_SECRET_NOT_SET: 1, SIGNATURE_INVALID: 2, SIGNATURE_MISSING: 1 })
    expect(await storedEvents(product, source)).toHaveLength(1)
  })
})

describe('a webhook with a template', () => {
  test('a webhook with a template becomes the events that the template makes; unusable calls are refused and counted', async () => {
    const { source, key } = await make('webhook')
    expect(await deliver(key, '{"state":"new"}', {})).toEqual(accepted)
    await set(
      source,
      'template',
      '{"event":"Ticket {{ body.state | capitalize }}","userId":"{{ body.user }}","messageId":"{{ body.id }}","properties":{{ body | json }}}',
    )
    const closed = JSON.stringify({ id: 't-1', state: 'closed', user: 'u-1', note: 'said "no"' })
    expect(await deliver(key, closed, {})).toEqual(accepted)
    expect(await deliver(key, closed, {})).toEqual(accepted)
    const events = await stored(source, 2)
    const one = await product.api.ok('GET', `/${events.find((each) => each.message_id === 't-1')?.name}`)
    expect(one).toMatchObject({ title: 'Ticket Closed', user_id: 'u-1', status: 'accepted' })
    expect(JSON.stringify(one)).toContain('said')
    await set(source, 'template', '{"event": {{ body.name }}}')
    expect(await deliver(key, '{"name":"x"}', {})).toEqual({ status: 400, reason: 'TEMPLATE_NOT_JSON' })
    const [row] = await refusedOf(source, { TEMPLATE_NOT_JSON: 1 })
    expect(row?.message).toMatch(/did not render to JSON/)
    expect(await storedEvents(product, source)).toHaveLength(2)
    const broken = await product.api.call('POST', `/${source}/app:updateSetting`, {
      name: 'template',
      value: '{{ body | nope }}',
    })
    expect(broken).toMatchObject({ status: 400, body: { metadata: { value: /^Error at >> 1\| / } } })
  })
})
