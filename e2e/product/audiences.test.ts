import { newId } from '@tributary/kernel'
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

test('a profile enters an audience when its event comes, and a merge applies, without starting a computation', async () => {
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
  // Current members are sent first, and then new ones.
  await api.ok('POST', `${path}:connectDestination`, { destination })
  await send(key, { ...seen, anonymousId: 'device' })
  await whenSize(2)
  const received = (): string[] =>
    receiver.calls.map(({ body }) => {
      const { event, userId, anonymousId } = JSON.parse(body) as Record<string, string | undefined>
      return `${event} ${userId ?? anonymousId}`
    })
  await eventually('both are sent', () => received().length === 2)
  await send(key, { type: 'identify', userId: 'ada', anonymousId: 'device' })
  await whenSize(1)
  expect(received().toSorted()).toEqual(['Audience Entered ada', 'Audience Entered device'])
  const { changes } = (await api.ok('GET', `${path}/changes`)) as { changes: { kind: string }[] }
  expect(changes.map(({ kind }) => kind).toSorted()).toEqual(['entered', 'entered', 'left'])
})

type Called = { path: string; body: string }

/** Returns the audience events of a connector's call: the events of a batch, or a single event. */
const eventsOf = ({ body }: Called): string[] => {
  const parsed = JSON.parse(body) as Record<string, string> & { batch?: Record<string, string>[] }
  return (parsed.batch ?? [parsed]).map(({ type, event, userId }) => `${type} ${event} ${userId}`)
}

test('connectors for track events get the members first, and then each exit, once and in their own format', async () => {
  const { api } = product
  const { workspace } = await createWorkspace(api, 'Forwarded audiences')
  const { key } = await createSource(api, workspace, 'Shop')
  const count = { operator: 'exactly', value: 1 }
  const treeOf = (selectedEvent: string) => ({
    groups: { cccc: { segments: [{ id: 'dddd', queries: [{ id: 'bbbb', type: 'event', selectedEvent, count }] }] } },
  })
  const { name } = await api.ok('POST', `/${workspace}/audiences`, { title: 'Seen', query: treeOf('Seen') })
  const path = `/${String(name)}`
  // A duplicate event counts once.
  const ofAda = { ...seen, userId: 'ada', messageId: newId() }
  await send(key, ofAda, ofAda, { ...seen, userId: 'bob' })
  await eventually('it has 2 profiles', async () => (await api.ok('GET', path)).size === 2)
  await using receiver = await startWebhookReceiver()
  const { origin } = new URL(receiver.url)
  const settings = {
    segment: { write_key: 'segment-key', endpoint: `${origin}/segment` },
    rudderstack: { write_key: 'rudderstack-key', data_plane_url: `${origin}/rudderstack` },
  }
  for (const [app, given] of Object.entries(settings)) {
    const body = { title: app, app: { name: `catalogDestinations/${app}` }, settings: given }
    const { name: destination } = await api.ok('POST', `/${workspace}/destinations`, body)
    await api.ok('POST', `${path}:connectDestination`, { destination })
  }
  const received = (app: string): string[] =>
    receiver.calls.filter((call) => call.path.startsWith(`/${app}`)).flatMap(eventsOf)
  const entered = ['track Audience Entered ada', 'track Audience Entered bob']
  const left = ['track Audience Exited ada', 'track Audience Exited bob']
  for (const app of Object.keys(settings)) {
    await eventually(`${app} has who is in`, () => received(app).length === 2)
    expect(received(app).toSorted()).toEqual(entered)
  }
  await api.ok('PATCH', `${path}?update_mask=query`, { query: treeOf('Something Else') })
  for (const app of Object.keys(settings)) {
    await eventually(`${app} has who left`, () => received(app).length === 4)
    expect(received(app).slice(2).toSorted()).toEqual(left)
  }
})
