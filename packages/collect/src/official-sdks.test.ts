import { gunzipSync } from 'node:zlib'
import RudderAnalytics from '@rudderstack/rudder-sdk-node'
import { Analytics } from '@segment/analytics-node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { liveKey, type RunningCollect, startCollect } from './testing/server.ts'

let running: RunningCollect
beforeEach(async () => {
  running = await startCollect()
})
afterEach(() => running.stop())

type Sent = { type: string; event?: string; userId: string }

const events = async (): Promise<Sent[]> =>
  (await running.entries()).flatMap((entry) => {
    const body: { batch: Sent[] } = JSON.parse(Buffer.from(entry.body).toString())
    return body.batch
  })

test('every call of @segment/analytics-node, only configured with this host, is accepted once', async () => {
  const analytics = new Analytics({ writeKey: liveKey, host: running.origin, flushAt: 3 })
  analytics.identify({ userId: 'u1', traits: { plan: 'pro' } })
  analytics.track({ userId: 'u1', event: 'Paid', properties: { price: 9.5 } })
  analytics.page({ userId: 'u1', name: 'Home' })
  analytics.screen({ userId: 'u1', name: 'Start' })
  analytics.group({ userId: 'u1', groupId: 'g1' })
  analytics.alias({ userId: 'u1', previousId: 'a1' })
  await analytics.closeAndFlush()
  expect((await events()).map((event) => event.type).toSorted()).toEqual([
    'alias',
    'group',
    'identify',
    'page',
    'screen',
    'track',
  ])
})

test.each([true, false])('every call of @rudderstack/rudder-sdk-node with gzip %s is accepted once', async (gzip) => {
  const client = new RudderAnalytics(liveKey, { dataPlaneUrl: running.origin, gzip, flushAt: 5 })
  client.identify({ userId: 'u1', traits: { plan: 'pro' } })
  client.track({ userId: 'u1', event: 'Paid' })
  client.page({ userId: 'u1', name: 'Home' })
  client.group({ userId: 'u1', groupId: 'g1' })
  client.alias({ userId: 'u1', previousId: 'a1' })
  await new Promise<void>((resolve) => client.flush(() => resolve()))
  await expect.poll(async () => (await events()).length, { timeout: 30_000 }).toBe(5)
  expect((await events()).map((event) => event.type).toSorted()).toEqual([
    'alias',
    'group',
    'identify',
    'page',
    'track',
  ])
  for (const entry of await running.entries()) expect(() => gunzipSync(entry.body)).toThrow()
})
