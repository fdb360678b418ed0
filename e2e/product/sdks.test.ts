import RudderAnalytics from '@rudderstack/rudder-sdk-node'
import { Analytics } from '@segment/analytics-node'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startWebhookReceiver,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'

let product: Product
let receiver: WebhookReceiver
let workspace: string

beforeAll(async () => {
  product = await startProduct()
  receiver = await startWebhookReceiver()
  await product.api.login(adminCredentials)
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
  await receiver?.close()
})

/** Message ids of the events stored for a source, with how often each is there. */
const storedIds = async (source: string): Promise<Map<string, number>> => {
  const { events } = await product.api.ok('GET', `/${source}/events?page_size=1000`)
  const ids = new Map<string, number>()
  for (const { message_id } of events as { message_id: string }[]) ids.set(message_id, (ids.get(message_id) ?? 0) + 1)
  return ids
}

const expectOnceEach = async (source: string, wanted: number): Promise<void> => {
  const stored = await eventually('all events stored', async () => {
    const ids = await storedIds(source)
    return ids.size >= wanted && ids
  })
  await eventually('all events delivered', () => [...stored.keys()].every((id) => receiver.messageIds().has(id)))
  expect([...stored.values()]).toEqual(Array.from({ length: wanted }, () => 1))
  expect([...stored.keys()].map((id) => receiver.messageIds().get(id))).toEqual(Array.from({ length: wanted }, () => 1))
}

test('every call of the official Segment Node SDK is stored once and delivered once', async () => {
  const { source, key } = await createSource(product.api, workspace, 'Segment Node')
  await createWebhook(product.api, workspace, source, { url: receiver.url })
  const analytics = new Analytics({ writeKey: key, host: product.url, flushInterval: 50 })
  const errors: unknown[] = []
  analytics.on('error', (error) => errors.push(error))
  analytics.identify({ userId: 'u1', traits: { plan: 'team' } })
  analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 42.5 } })
  analytics.page({ userId: 'u1', name: 'Home' })
  analytics.screen({ userId: 'u1', name: 'Start' })
  analytics.group({ userId: 'u1', groupId: 'g1', traits: { name: 'Acme' } })
  analytics.alias({ userId: 'u1', previousId: 'anon-1' })
  await analytics.closeAndFlush()
  expect(errors).toEqual([])
  await expectOnceEach(source, 6)
})

test.each([true, false])(
  'every call of the official RudderStack Node SDK (gzip %s) is stored once and delivered once',
  async (gzip) => {
    const { source, key } = await createSource(product.api, workspace, `Rudder Node ${gzip}`)
    await createWebhook(product.api, workspace, source, { url: receiver.url })
    const analytics = new RudderAnalytics(key, { dataPlaneUrl: product.url, gzip, flushInterval: 50 })
    analytics.identify({ userId: 'u2', traits: { plan: 'free' } })
    analytics.track({ userId: 'u2', event: 'Signed Up', properties: { from: 'ad' } })
    analytics.page({ userId: 'u2', name: 'Pricing' })
    analytics.screen({ userId: 'u2', name: 'Start' })
    analytics.group({ userId: 'u2', groupId: 'g2' })
    analytics.alias({ userId: 'u2', previousId: 'anon-2' })
    await analytics.flush()
    await expectOnceEach(source, 6)
  },
)

test('a message id sent twice is stored and delivered once', async () => {
  const { source, key } = await createSource(product.api, workspace, 'Twice')
  await createWebhook(product.api, workspace, source, { url: receiver.url })
  const send = async (): Promise<number> => {
    const answer = await fetch(`${product.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ userId: 'u3', event: 'Twice', messageId: 'twice-1' }),
    })
    return answer.status
  }
  expect([await send(), await send()]).toEqual([200, 200])
  await expectOnceEach(source, 1)
})
