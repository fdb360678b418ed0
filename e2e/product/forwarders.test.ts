import { createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { beforeAll, expect, test } from 'vitest'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let product: SharedProduct
let workspace: string
beforeAll(async () => {
  product = await joinProduct()
  workspace = (await createWorkspace(product.api)).workspace
})

type Stored = { message_id: string; type: string; title: string; status: string; name: string; payload: string }

/** Returns the URL in the guide of a catalog entry, as users copy it. */
const guideAddress = async (slug: string, key: string): Promise<string> => {
  const entry = await product.api.ok('GET', `/${workspace}/catalogSources/${slug}`)
  const step = (entry as { guide: { language: string; code: string }[] }).guide.find(
    (one) => one.language === 'address',
  )
  return (step?.code ?? '').replace('{{origin}}', product.url).replace('{{writeKey}}', key)
}

const storedOf = (source: string, wanted: number): Promise<Stored[]> =>
  eventually('the events stored', async () => {
    const { events } = (await product.api.ok('GET', `/${source}/events?page_size=20`)) as { events: Stored[] }
    return events.length >= wanted && events
  })

const payloadOf = async (events: readonly Stored[], messageId: string): Promise<Record<string, unknown>> => {
  const name = events.find((event) => event.message_id === messageId)?.name ?? ''
  return (await product.api.ok('GET', `/${name}`)) as Record<string, unknown>
}

const forward = (address: string, agent: string, body: unknown): Promise<number> =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': agent },
    body: JSON.stringify(body),
  }).then(({ status }) => status)

// Form of the bodies: twilio.com/docs/segment/connections/destinations/catalog/webhooks and actions-webhook (single and
// batched).
const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
const segmentTrack = {
  version: 1,
  type: 'track',
  messageId: 'segment-1',
  userId: '019mr8mf4r',
  anonymousId: 'anonymous-1',
  event: 'Purchased an Item',
  properties: { revenue: '39.95', shippingMethod: '2-day' },
  context: { ip: '203.0.113.7', library: { name: 'analytics.js', version: 'next-1.70.0' } },
  integrations: {},
  originalTimestamp: new Date(Date.now() - 3_601_000).toISOString(),
  sentAt: new Date(Date.now() - 3_600_500).toISOString(),
  receivedAt: hourAgo,
  timestamp: hourAgo,
  projectId: 'segment-project',
  writeKey: 'key-of-the-segment-source',
}
const segmentPage = {
  version: 1,
  type: 'page',
  messageId: 'segment-2',
  userId: '019mr8mf4r',
  name: 'Pricing',
  properties: { path: '/pricing', title: 'Segment Pricing', url: 'https://segment.com/pricing' },
  timestamp: '2012-12-02T00:30:08.276Z',
}
const segmentIdentify = {
  version: 1,
  type: 'identify',
  messageId: 'segment-3',
  userId: '019mr8mf4r',
  traits: { email: 'achilles@segment.com', name: 'Achilles' },
  timestamp: '2012-12-02T00:30:08.276Z',
}

test('Segment webhooks are stored as the original events, once, with their own times', async () => {
  const { source, key } = await createSource(product.api, workspace, 'Segment', 'segment-forward')
  const address = await guideAddress('segment-forward', key)
  expect(await forward(address, 'Segment.io/1.0', segmentTrack)).toBe(200)
  expect(await forward(address, 'Segment.io/1.0', segmentTrack)).toBe(200)
  expect(await forward(address, 'Segment (Actions)', [segmentPage, segmentIdentify])).toBe(200)
  const events = await storedOf(source, 3)
  expect(events.map(({ message_id, type, title, status }) => [message_id, type, title, status]).toSorted()).toEqual([
    ['segment-1', 'track', 'Purchased an Item', 'accepted'],
    ['segment-2', 'page', 'Pricing', 'accepted'],
    ['segment-3', 'identify', 'identify', 'accepted'],
  ])
  const track = await payloadOf(events, 'segment-1')
  expect(JSON.stringify(track)).toContain('203.0.113.7')
  expect(track).toMatchObject({ timestamp: hourAgo })
})

// Form of the body: the event as rudder-transformer's webhook destination sends it,
// rudderstack.com/docs/destinations/webhooks.
test('RudderStack webhooks are stored as the original events', async () => {
  const { source, key } = await createSource(product.api, workspace, 'RudderStack', 'rudderstack-forward')
  const address = await guideAddress('rudderstack-forward', key)
  const common = {
    channel: 'web',
    rudderId: 'rudder-id-1',
    request_ip: '198.51.100.9',
    userId: 'u-1',
    anonymousId: 'anonymous-1',
    context: { ip: '198.51.100.9', library: { name: 'RudderLabs JavaScript SDK', version: '3.7.0' } },
    integrations: { All: true },
    originalTimestamp: hourAgo,
    sentAt: hourAgo,
    receivedAt: hourAgo,
    timestamp: hourAgo,
  }
  const calls = [
    { ...common, type: 'track', messageId: 'rudder-1', event: 'Order Completed', properties: { total: 59.9 } },
    { ...common, type: 'screen', messageId: 'rudder-2', name: 'Checkout', properties: {} },
    { ...common, type: 'group', messageId: 'rudder-3', groupId: 'g-1', traits: { name: 'Acme' } },
  ]
  for (const call of calls) expect(await forward(address, 'RudderLabs', call)).toBe(200)
  const events = await storedOf(source, 3)
  expect(events.map(({ message_id, type, status }) => [message_id, type, status]).toSorted()).toEqual([
    ['rudder-1', 'track', 'accepted'],
    ['rudder-2', 'screen', 'accepted'],
    ['rudder-3', 'group', 'accepted'],
  ])
})
