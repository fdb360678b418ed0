import { ownDescription } from '@tributary/connector-kit/testing-own-connector'
import {
  adminCredentials,
  createDestination,
  createSource,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, track } from './calls.ts'

let product: Product
let workspace: string
beforeAll(async () => {
  product = await startProduct()
  await product.api.login(adminCredentials)
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
})

/** A description whose people can be deleted, and to whose contacts syncs write rows. */
const described = (change: object = {}) => {
  const own = ownDescription()
  return {
    ...own,
    requests: { ...own.requests, forget: { method: 'POST', server: 'api', path: '/forget' } },
    deletion: { request: 'forget', item: { user: '{{ id }}' }, ids: ['user_id'] },
    ...change,
  }
}

const makeOwn = async (): Promise<{ own: string; app: string }> => {
  const made = await product.api.ok('POST', `/${workspace}/ownConnectors`, { file: JSON.stringify(described()) })
  const own = String(made.name)
  const published = await product.api.ok('POST', `/${own}:publish`, {})
  return { own, app: String(published.app).replace('catalogDestinations/', '') }
}

const publish = async (own: string, change: object): Promise<void> => {
  await product.api.ok('PATCH', `/${own}`, { description: JSON.stringify(described(change)) })
  await product.api.ok('POST', `/${own}:publish`, { hold: true })
}

test('an own connector delivers events, a new version changes their requests, and deletions of people are sent', async () => {
  await using receiver = await startWebhookReceiver()
  const { own, app } = await makeOwn()
  const { source, key } = await createSource(product.api, workspace, 'Own')
  const settings = { url: `http://127.0.0.1:${receiver.port}`, api_key: 'own-key-0001' }
  const destination = await createDestination(product.api, workspace, source, { app, settings })
  let sent = 0
  const send = async (event: string) =>
    expect((await post(product, '/v1/track', key, track(`own-${sent++}`, { event, userId: 'ada' }))).status).toBe(200)

  await send('First')
  const first = await eventually('the first event', () => receiver.calls[0])
  expect(first).toMatchObject({ method: 'POST', path: '/events', headers: { 'x-api-key': 'own-key-0001' } })
  expect(JSON.parse(first.body)).toEqual({ name: 'First', user: 'ada' })
  await eventually('the delivery in the log', async () => {
    const { deliveries } = await product.api.ok('GET', `/${destination}/deliveries`)
    return (deliveries as { status: string }[]).some(({ status }) => status === 'delivered')
  })

  const { actions, requests } = described()
  await publish(own, {
    requests: { ...requests, send: { ...requests.send, path: '/v2/events' } },
    actions: { track: { ...actions.track, item: { event: '{{ name }}' } } },
  })
  // A worker notices a change of its destination with its next tick.
  const second = await eventually('an event as the new version sends it', async () => {
    await send('Second')
    return receiver.calls.find(({ path }) => path === '/v2/events')
  })
  expect(second.headers['x-api-key']).toBe('own-key-0001')
  expect(JSON.parse(second.body)).toEqual({ event: 'Second' })

  await product.api.ok('POST', `/${workspace}/privacyRequests`, {
    kind: 'delete',
    identifiers: [{ type: 'user_id', value: 'ada' }],
  })
  const forgotten = await eventually(
    'the deletion',
    () => receiver.calls.find(({ path }) => path === '/forget'),
    60_000,
  )
  expect(JSON.parse(forgotten.body)).toEqual({ user: 'ada' })
})

test('a version that sends a secret elsewhere holds events until the secret is entered again', async () => {
  await using receiver = await startWebhookReceiver()
  await using other = await startWebhookReceiver()
  const { own, app } = await makeOwn()
  const { source, key } = await createSource(product.api, workspace, 'Held')
  const settings = { url: `http://127.0.0.1:${receiver.port}`, api_key: 'own-key-0002' }
  const destination = await createDestination(product.api, workspace, source, { app, settings })
  const { settings: declared } = described()
  const address = `http://127.0.0.1:${other.port}`
  await publish(own, {
    settings: { ...declared, other: { type: 'url', label: 'Other', help: 'Another address.', default: address } },
    servers: { api: { setting: 'other' } },
  })
  expect(await product.api.ok('GET', `/${destination}`)).toMatchObject({
    state: 'needs_setup',
    missing_settings: ['api_key'],
  })
  expect((await post(product, '/v1/track', key, track('held-1', { event: 'Held' }))).status).toBe(200)
  await product.api.ok('POST', `/${destination}/app:updateSetting`, { name: 'api_key', value: 'own-key-0003' })
  const call = await eventually('the held event, sent', () => other.calls[0], 60_000)
  expect(call.headers['x-api-key']).toBe('own-key-0003')
  expect([...receiver.calls, ...other.calls].some(({ headers }) => headers['x-api-key'] === 'own-key-0002')).toBe(false)
})
