import { createSource, createWebhook, createWorkspace, eventually, startWebhookReceiver } from '@tributary/test-kit'
import { beforeAll, expect, test } from 'vitest'
import { joinProduct, type SharedProduct } from './shared-product.ts'

let product: SharedProduct
beforeAll(async () => {
  product = await joinProduct()
})

const send = async (key: string, ...batch: object[]): Promise<void> => {
  const response = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  expect(response.status).toBe(200)
}

const seen = { type: 'track', event: 'Seen' }

test('a profile enters an audience when its event comes, and a merge is reflected, though nobody computes it', async () => {
  const { api } = product
  const { workspace } = await createWorkspace(api, 'Audiences')
  const { key } = await createSource(api, workspace, 'Shop')
  const query = { id: 'bbbb', type: 'event', selectedEvent: 'Seen' }
  const { name } = await api.ok('POST', `/${workspace}/audiences`, {
    title: 'Seen',
    query: { groups: { cccc: { segments: [{ id: 'dddd', queries: [query] }] } } },
  })
  const path = `/${String(name)}`
  await eventually('it is live', async () => (await api.ok('GET', path)).state === 'live')
  const whenSize = async (size: number): Promise<void> => {
    await eventually(`it has ${size} profiles`, async () => (await api.ok('GET', path)).size === size)
  }
  await using receiver = await startWebhookReceiver()
  const { source: unused } = await createSource(api, workspace, 'Unused')
  const destination = await createWebhook(api, workspace, unused, { url: receiver.url })
  await send(key, { ...seen, userId: 'ada' })
  await whenSize(1)
  // Who is in is sent first, and then who comes.
  await api.ok('POST', `${path}:connectDestination`, { destination })
  await send(key, { ...seen, anonymousId: 'device' })
  await whenSize(2)
  const told = (): string[] =>
    receiver.calls.map(({ body }) => {
      const { event, userId, anonymousId } = JSON.parse(body) as Record<string, string | undefined>
      return `${event} ${userId ?? anonymousId}`
    })
  await eventually('both are sent', () => told().length === 2)
  await send(key, { type: 'identify', userId: 'ada', anonymousId: 'device' })
  await whenSize(1)
  expect(told().toSorted()).toEqual(['Audience Entered ada', 'Audience Entered device'])
  const { changes } = (await api.ok('GET', `${path}/changes`)) as { changes: { kind: string }[] }
  expect(changes.map(({ kind }) => kind).toSorted()).toEqual(['entered', 'entered', 'left'])
})
