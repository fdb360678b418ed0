import RudderAnalytics from '@rudderstack/rudder-sdk-node'
import { Analytics } from '@segment/analytics-node'
import {
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startWebhookReceiver,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installNodeGuide, runNodeGuide, runReactNativeGuide } from '../guides/node-guide.ts'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let product: SharedProduct
let receiver: WebhookReceiver
let workspace: string

beforeAll(async () => {
  product = await joinProduct()
  receiver = await startWebhookReceiver()
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(async () => {
  await receiver?.close()
})

/** Returns the message IDs of the stored events of a source, and how often each ID is stored. */
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

test('a message ID that is sent twice is stored and delivered once', async () => {
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

/** Returns the sorted titles of the stored events of a source, when there are at least `wanted`. */
const storedTitles = (source: string, wanted: number): Promise<string[]> =>
  eventually(
    `${wanted} events stored`,
    async () => {
      const { events } = await product.api.ok('GET', `/${source}/events?page_size=100`)
      const titles = (events as { title: string }[]).map(({ title }) => title)
      return titles.length >= wanted && titles.toSorted()
    },
    60_000,
  )

test.for([
  { slug: 'node', packages: ['@segment/analytics-node@1.3.0'] },
  { slug: 'node', packages: ['@segment/analytics-node@2.3.0'] },
  { slug: 'node', packages: ['@segment/analytics-node@3.1.0'] },
  { slug: 'analytics-node', packages: ['analytics-node@6.2.0'] },
  { slug: 'rudderstack-node', packages: ['@rudderstack/rudder-sdk-node@3.0.13'] },
])('the set-up page $slug works unchanged with $packages', async (guide, { skip }) => {
  const { missing } = installNodeGuide(guide)
  if (missing !== undefined) return skip(missing)
  const { source, key } = await createSource(product.api, workspace, `Guide ${guide.packages[0]}`, guide.slug)
  const program = runNodeGuide(guide, { origin: product.url, writeKey: key })
  expect(await program.ended, program.output()).toBe(0)
  expect(await storedTitles(source, 2)).toEqual(['Order Completed', 'identify'])
})

test('the set-up page of React Native sets write key and events to this server, which has no https', async ({
  skip,
}) => {
  const libraries = ['@segment/analytics-react-native@2.24.1', '@segment/sovran-react-native@1.1.5']
  const guide = { slug: 'react-native', packages: [...libraries, 'react-native-get-random-values@2.0.0'] }
  const { missing } = installNodeGuide(guide)
  if (missing !== undefined) return skip(missing)
  const { source, key } = await createSource(product.api, workspace, 'Guide React Native', guide.slug)
  const program = await runReactNativeGuide(guide, { origin: product.url, writeKey: key })
  try {
    const asked = (): Set<string> => new Set(program.output().match(/(?<=^asks )\S+/gm))
    await eventually('its first request', () => asked().size > 0)
    expect(asked()).toEqual(new Set([product.url]))
    await storedTitles(source, 3)
    expect(asked()).toEqual(new Set([product.url]))
  } finally {
    await program.stop()
  }
})
