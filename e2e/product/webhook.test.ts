import { createHmac, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exampleBody } from '@tributary/connectors/destinations/webhook'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  type ReceivedCall,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, track } from './calls.ts'

/** Secrets that must not appear in a log. */
const secrets = {
  masterKey: 'a-master-key-that-nobody-may-see-in-a-log-0001',
  password: adminCredentials.password,
  signing: 'whsec-signing-secret-0002',
  bearer: 'receiver-token-0003',
  header: 'receiver-header-0004',
  trait: 'ada-lovelace-0005@example.com',
}

let product: Product
let workspace: string
beforeAll(async () => {
  product = await startProduct({ env: { TRIBUTARY_LOG_LEVEL: 'debug', TRIBUTARY_SECRET_KEY: secrets.masterKey } })
  await product.api.login(adminCredentials)
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
})

type Attempt = { status: string; http_status: number; reason: string; request: string; response: string }
const attemptsOf = async (destination: string): Promise<Attempt[]> =>
  (await product.api.ok('GET', `/${destination}/deliveries`)).deliveries as Attempt[]

/** Checks the signature of a request as the destination's guide describes it for receivers. */
const isSigned = ({ headers, body }: ReceivedCall): boolean => {
  const [, seconds = '', given = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-tributary-signature'])) ?? []
  const wanted = createHmac('sha256', secrets.signing).update(`${seconds}.${body}`).digest()
  return Math.abs(Date.now() / 1000 - Number(seconds)) < 300 && timingSafeEqual(Buffer.from(given, 'hex'), wanted)
}

test("a webhook receiver can verify every request's signature, sees its own headers and method, and gets the whole event", async () => {
  await using receiver = await startWebhookReceiver()
  const { source, key } = await createSource(product.api, workspace, 'Signed')
  await createWebhook(product.api, workspace, source, {
    url: `${receiver.url}?shop=1`,
    method: 'PUT',
    signing_secret: secrets.signing,
    headers: { Authorization: `Bearer ${secrets.bearer}`, 'X-Own': secrets.header },
  })
  const event = track('signed-1', {
    properties: { total: 42.5, note: 'ü€😀' },
    context: { traits: { email: secrets.trait } },
  })
  expect((await post(product, '/v1/track', key, event)).status).toBe(200)
  const [call] = await eventually('received', () => receiver.calls.length > 0 && receiver.calls)
  expect(call).toMatchObject({ method: 'PUT', path: '/hook?shop=1' })
  expect(call?.headers).toMatchObject({
    'content-type': 'application/json',
    authorization: `Bearer ${secrets.bearer}`,
    'x-own': secrets.header,
    'idempotency-key': expect.any(String),
  })
  expect(call !== undefined && isSigned(call)).toBe(true)
  expect(JSON.parse(call?.body ?? '')).toMatchObject({ ...event, receivedAt: expect.any(String) })

  // The body of a page event has the same keys in the same order as the guide shows, with the name of the page in
  // `event`.
  const shown = JSON.parse(exampleBody) as Record<string, unknown>
  const { messageId, userId, anonymousId, properties, context, originalTimestamp, sentAt } = shown
  const page = { type: 'page', name: 'Pricing', messageId, userId, anonymousId, properties, context, originalTimestamp }
  expect((await post(product, '/v1/batch', key, { batch: [page], sentAt })).status).toBe(200)
  const arrived = await eventually('the page', () => receiver.calls[1])
  const body = JSON.parse(arrived.body) as Record<string, unknown>
  expect(Object.keys(body)).toEqual(Object.keys(shown))
  expect(body).toMatchObject({ type: 'page', event: 'Pricing', messageId, userId, anonymousId, properties, context })
})

test('API-49: each catalog app makes a destination with only title and app; held events are sent after its set-up', async () => {
  await using receiver = await startWebhookReceiver()
  const { source, key } = await createSource(product.api, workspace, 'Set up later')
  const { catalog_destinations } = await product.api.ok('GET', `/${workspace}/catalogDestinations?page_size=1000`)
  const made = new Map<string, string>()
  for (const { name } of catalog_destinations as { name: string }[]) {
    const body = { title: 'Made first', app: { name } }
    const destination = await product.api.ok('POST', `/${workspace}/destinations`, body)
    expect([name, destination.state]).toEqual([name, 'needs_setup'])
    made.set(name, String(destination.name))
    await product.api.ok('POST', `/${workspace}/connections`, { source, destination: destination.name })
  }
  expect(made.size).toBe((catalog_destinations as unknown[]).length)
  const ids = ['early-1', 'early-2', 'early-3']
  for (const id of ids) expect((await post(product, '/v1/track', key, track(id))).status).toBe(200)
  const webhook = made.get('catalogDestinations/webhook') ?? ''
  expect(await attemptsOf(webhook)).toEqual([])
  await product.api.ok('POST', `/${webhook}/app:updateSetting`, { name: 'url', value: receiver.url })
  expect(await product.api.ok('GET', `/${webhook}`)).toMatchObject({ state: 'ready', missing_settings: [] })
  await eventually('all of them', () => receiver.messageIds().size === ids.length)
  made.delete('catalogDestinations/webhook')
  for (const destination of made.values()) expect(await attemptsOf(destination)).toEqual([])
})

test('batches to a webhook are JSON arrays up to the configured size, in order and signed, with every event', async () => {
  await using receiver = await startWebhookReceiver()
  const { source, key } = await createSource(product.api, workspace, 'Batched')
  await createWebhook(product.api, workspace, source, {
    url: receiver.url,
    batching: true,
    batch_size: 25,
    batch_wait_ms: 200,
    signing_secret: secrets.signing,
  })
  const ids = Array.from({ length: 60 }, (_, index) => `batched-${index}`)
  expect((await post(product, '/v1/batch', key, { batch: ids.map((id) => track(id)) })).status).toBe(200)
  await eventually('all received', () => receiver.messageIds().size === ids.length)
  const batches = receiver.calls.map((call) => JSON.parse(call.body) as { messageId: string }[])
  expect(batches.every((batch) => Array.isArray(batch) && batch.length <= 25)).toBe(true)
  expect(batches.length).toBeLessThanOrEqual(6)
  expect(
    batches
      .flat()
      .map((event) => event.messageId)
      .toSorted(),
  ).toEqual(ids.toSorted())
  for (const batch of batches) {
    const places = batch.map((event) => ids.indexOf(event.messageId))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  }
  expect(receiver.calls.every(isSigned)).toBe(true)
  expect(receiver.calls.map((call) => Number(call.headers['x-tributary-event-count']))).toEqual(
    batches.map((batch) => batch.length),
  )
})

test.each([429, 503])('Retry-After of a %i is honored, and the event arrives afterwards', async (status) => {
  await using receiver = await startWebhookReceiver()
  receiver.behave({ status, headers: { 'retry-after': '4' } })
  const { source, key } = await createSource(product.api, workspace, `Later ${status}`)
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url })
  expect((await post(product, '/v1/track', key, track(`later-${status}`))).status).toBe(200)
  await eventually('tried', () => receiver.calls.length === 1)
  receiver.behave({ status: 200 })
  await eventually('tried again', () => receiver.messageIds().size === 1)
  const [first, second] = receiver.calls
  expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(3900)
  await eventually('the log tells of both', async () => {
    const attempts = await attemptsOf(destination)
    return (
      attempts.map((attempt) => `${attempt.status} ${attempt.http_status}`).join() === `delivered 200,retry ${status}`
    )
  })
})

test('an event that a receiver permanently refuses becomes a dead letter with request and response, without secrets', async () => {
  await using receiver = await startWebhookReceiver()
  receiver.behave({ status: 422, body: 'total must be a number' })
  const { source, key } = await createSource(product.api, workspace, 'Refused')
  const destination = await createWebhook(product.api, workspace, source, {
    url: receiver.url,
    signing_secret: secrets.signing,
    headers: { Authorization: `Bearer ${secrets.bearer}` },
  })
  expect((await post(product, '/v1/track', key, track('refused-1'))).status).toBe(200)
  const [attempt] = await eventually('dead', async () => {
    const attempts = await attemptsOf(destination)
    return attempts[0]?.status === 'dead' && attempts
  })
  expect(attempt).toMatchObject({ http_status: 422, response: expect.stringContaining('total must be a number') })
  expect(attempt?.request).toContain('refused-1')
  for (const secret of Object.values(secrets)) expect(attempt?.request).not.toContain(secret)
  expect(receiver.calls).toHaveLength(1)
  const { parked_deliveries } = await product.api.ok('GET', `/${destination}/parkedDeliveries?state=dead`)
  expect(parked_deliveries).toMatchObject([{ state: 'dead', event_count: 1, last_status: 422 }])
})

test('filtered events are in the delivery log, and an event that cannot be mapped is sent after the mapping is fixed', async () => {
  await using receiver = await startWebhookReceiver()
  const { source, key } = await createSource(product.api, workspace, 'Gated')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'My orders')
  const { api } = product
  await api.ok('PATCH', `/${destination}`, { consent_categories: ['advertising'] })
  const field = (id: string, name: string) => ({
    id,
    source: { type: 'FIELD', name },
    target: { name: 'total', is_required: true },
  })
  const mapping = (name: string) => ({
    id: 'ordr',
    event_name: 'Order Completed',
    destination: 'send',
    field_mappings: [
      field('fld1', name),
      { id: 'fld2', source: { type: 'VARIABLE', name: 'message_id' }, target: { name: 'messageId' } },
    ],
  })
  const map = (name: string) => api.ok('PUT', `/${destination}/mappings`, { event_mappings: [mapping(name)] })
  await map('properties.amount')
  const order = (messageId: string, more: object = {}) =>
    post(product, '/v1/track', key, {
      event: 'Order Completed',
      userId: 'u',
      properties: { total: 5 },
      messageId,
      ...more,
    })
  await order('gated-unmapped')
  await order('gated-integrations', { integrations: { All: true, 'my orders': false } })
  await order('gated-consent', { context: { consent: { categoryPreferences: { advertising: false } } } })
  await order('gated-name', { event: 'Signed Up' })
  const outcomes = async () => {
    const { deliveries } = await api.ok('GET', `/${destination}/deliveries`)
    const rows = deliveries as { message_id: string; status: string; reason: string }[]
    return rows.map((row) => [row.message_id, row.status, row.reason]).toSorted()
  }
  const found = await eventually('all have an outcome', async () => {
    const rows = await outcomes()
    return rows.length >= 4 && rows
  })
  expect(found).toEqual([
    ['gated-consent', 'filtered', 'No consent for advertising'],
    ['gated-integrations', 'filtered', "Left out by the event's integrations"],
    ['gated-name', 'filtered', 'No mapping matches'],
    ['gated-unmapped', 'dead', expect.stringContaining('total')],
  ])
  expect(receiver.calls).toHaveLength(0)

  await map('properties.total')
  await api.ok('POST', `/${destination}:retry`, { state: 'dead' })
  await eventually('the fixed one arrives', () => receiver.calls.length === 1)
  expect(JSON.parse(receiver.calls[0]?.body ?? '')).toEqual({ total: 5, messageId: 'gated-unmapped' })
  await eventually('it is told', async () =>
    (await outcomes()).some(([id, status]) => id === 'gated-unmapped' && status === 'delivered'),
  )
})

test("the product does not follow a webhook's redirect", async () => {
  await using elsewhere = await startWebhookReceiver()
  await using receiver = await startWebhookReceiver()
  receiver.behave({ status: 307, headers: { location: elsewhere.url } })
  const { source, key } = await createSource(product.api, workspace, 'Redirected')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url })
  expect((await post(product, '/v1/track', key, track('redirected-1'))).status).toBe(200)
  await eventually('dead', async () => (await attemptsOf(destination))[0]?.status === 'dead')
  expect(elsewhere.calls).toEqual([])
})

test('the log contains no password, token, key, secret, or personal value, even at the most detailed level', async () => {
  const { source, key } = await createSource(product.api, workspace, 'Logged')
  await post(product, '/v1/track', key, `{"userId":"u","event":"E","properties":{"email":"${secrets.trait}"`)
  await post(product, '/v1/track', 'an-unknown-write-key-0006', track('logged-1'))
  await product.api.call('POST', '/users:login', { email: adminCredentials.email, password: 'Wrong-password-0007' })
  await product.api.call('POST', `/${workspace}/destinations`, {
    title: 'Broken',
    app: { name: 'catalogDestinations/webhook' },
    settings: { url: 'no url', signing_secret: secrets.signing },
  })
  await product.api.call('GET', `/${source}/events?event=${encodeURIComponent(secrets.trait)}`)
  expect(await product.stop()).toBe(0)
  const log = product.output()
  expect(log).toContain('"level":"debug"')
  const hidden = {
    ...secrets,
    key,
    session: String(product.api.token),
    unknown: 'an-unknown-write-key-0006',
    wrong: 'Wrong-password-0007',
  }
  const shown = Object.entries(hidden).filter(([, value]) => log.includes(value))
  expect(shown).toEqual([])
  // The files in the folder also do not contain the credentials of destinations, sessions or write keys as text.
  const { signing, bearer, masterKey, password } = secrets
  const kept = readdirSync(product.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path)
      return [signing, bearer, masterKey, password, String(product.api.token)].some((value) => bytes.includes(value))
    })
  expect(kept).toEqual([])
})
