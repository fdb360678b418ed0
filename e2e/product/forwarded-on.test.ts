import {
  createDestination,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { beforeAll, expect, test } from 'vitest'
import { post, track } from './calls.ts'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let product: SharedProduct
let workspace: string
beforeAll(async () => {
  product = await joinProduct()
  workspace = (await createWorkspace(product.api)).workspace
})

type Attempt = { status: string; http_status: number; reason: string; request: string; response: string }
const attemptsOf = async (destination: string): Promise<Attempt[]> =>
  (await product.api.ok('GET', `/${destination}/deliveries`)).deliveries as Attempt[]

type Sent = Record<string, unknown> & { messageId: string }

/** Every call of the tracking API, with the values that users of the call may send. */
const calls: readonly Sent[] = [
  {
    type: 'track',
    event: 'Order Completed',
    userId: 'u-1',
    properties: { total: 59.9, note: 'ü€😀', items: [{ sku: 'a' }] },
  },
  { type: 'page', name: 'Pricing', category: 'Docs', anonymousId: 'a-1', properties: { url: 'https://shop.example/' } },
  { type: 'screen', name: 'Cart', userId: 'u-1', anonymousId: 'a-1' },
  { type: 'identify', userId: 'u-1', traits: { email: 'ada@example.com', age: 36 } },
  { type: 'group', userId: 'u-1', groupId: 'g-1', traits: { plan: 'pro' } },
  { type: 'alias', userId: 'u-1', previousId: 'a-1' },
].map((call, at) => ({
  messageId: `passed-on-${at}`,
  timestamp: new Date(Date.now() - 3_600_000 - at * 1000).toISOString(),
  context: { ip: '203.0.113.7', library: { name: 'own', version: '1' }, campaign: { source: 'mail' } },
  integrations: { All: true, Mixpanel: false },
  channel: 'server',
  ...call,
}))

test.each(['segment', 'rudderstack'])(
  'events that are sent on in the format of %s are accepted by another product as the same events',
  async (app) => {
    await using before = await startWebhookReceiver()
    await using after = await startWebhookReceiver()
    const first = await createSource(product.api, workspace, `Before ${app}`)
    const second = await createSource(product.api, workspace, `After ${app}`)
    await createWebhook(product.api, workspace, first.source, { url: before.url }, `Before ${app}`)
    await createWebhook(product.api, workspace, second.source, { url: after.url }, `After ${app}`)
    const address = app === 'segment' ? { endpoint: product.url } : { data_plane_url: product.url }
    const settings = { ...address, write_key: second.key }
    const destination = await createDestination(product.api, workspace, first.source, { app, settings })
    // The clock of the sender is an hour behind; the time is corrected once, not twice.
    const sentAt = new Date(Date.now() - 3_600_000).toISOString()
    expect((await post(product, '/v1/batch', first.key, { batch: calls, sentAt })).status).toBe(200)

    const arrived = await eventually('all passed on', () => after.messageIds().size === calls.length && after.calls)
    await eventually('all received', () => before.messageIds().size === calls.length)
    const eventsOf = (received: { body: string }[]): Sent[] =>
      received
        .map(({ body }) => JSON.parse(body) as Sent)
        .map(({ eventId: _id, receivedAt: _at, originalTimestamp: _own, sentAt: _sent, ...event }) => event as Sent)
        .toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1))
    expect(eventsOf(arrived)).toEqual(eventsOf(before.calls))
    expect(eventsOf(arrived).map(({ messageId }) => messageId)).toEqual(calls.map(({ messageId }) => messageId))
    const attempts = await eventually('the log tells of all', async () => {
      const found = await attemptsOf(destination)
      return found.length === calls.length && found
    })
    expect(attempts.every(({ status }) => status === 'delivered')).toBe(true)
    expect(await product.api.ok('POST', `/${destination}:testConnection`)).toMatchObject({ ok: true })
  },
)

test('with a wrong write key, events are held, and sent once the key is fixed', async () => {
  const first = await createSource(product.api, workspace, 'Held')
  const second = await createSource(product.api, workspace, 'Mended')
  await using after = await startWebhookReceiver()
  await createWebhook(product.api, workspace, second.source, { url: after.url })
  const destination = await createDestination(product.api, workspace, first.source, {
    app: 'segment',
    settings: { endpoint: product.url, write_key: 'no-such-key' },
  })
  expect((await post(product, '/v1/track', first.key, track('held-1'))).status).toBe(200)
  const [attempt] = await eventually('tried', async () => {
    const attempts = await attemptsOf(destination)
    return attempts.length > 0 && attempts
  })
  expect(attempt).toMatchObject({
    status: 'retry',
    http_status: 401,
    reason: 'Segment refuses the write key (HTTP 401)',
    request: expect.stringContaining('held-1'),
  })
  expect(JSON.stringify(attempt)).not.toContain('no-such-key')
  expect(await product.api.ok('POST', `/${destination}:testConnection`)).toMatchObject({
    ok: false,
    message: 'Segment refuses the write key (HTTP 401)',
  })
  await product.api.ok('POST', `/${destination}/app:updateSetting`, { name: 'write_key', value: second.key })
  await eventually('sent after all', () => after.messageIds().has('held-1'))
})

test('Slack gets a message for each track event, about one a second, and nothing for other calls', async () => {
  await using channel = await startWebhookReceiver()
  channel.behave({ status: 200, body: 'ok' })
  const { source, key } = await createSource(product.api, workspace, 'Slack')
  const destination = await createDestination(product.api, workspace, source, {
    app: 'slack',
    settings: { webhook_url: `${channel.url}/T0000AAAA/B0000BBBB/s3cret` },
  })
  const page = { type: 'page', name: 'Pricing', anonymousId: 'a-1', messageId: 'slack-page' }
  const events = [
    track('slack-1', { event: 'Signed <up>' }),
    track('slack-2', { userId: undefined, anonymousId: 'a-1' }),
    track('slack-3'),
  ]
  expect((await post(product, '/v1/batch', key, { batch: [page, ...events] })).status).toBe(200)
  const posted = await eventually('posted', () => channel.calls.length >= 3 && channel.calls)
  expect(posted.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { text: '*Signed &lt;up&gt;* by u-1' },
    { text: '*Ordered* by a-1' },
    { text: '*Ordered* by u-1' },
  ])
  const gaps = posted.slice(1).map(({ time }, at) => time - (posted[at]?.time ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(700)
  const attempts = await eventually('the log tells of all', async () => {
    const found = await attemptsOf(destination)
    return found.length === 4 && found
  })
  expect(attempts.map(({ status }) => status).toSorted()).toEqual(['delivered', 'delivered', 'delivered', 'filtered'])
})
