import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startVendorPeers,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import {
  createMetaConversions,
  pixel,
  token,
} from '../../connectors/destinations/meta-conversions/testing-meta-conversions.ts'
import { post } from './calls.ts'

/** The points at which the process kills itself, like SIGKILL: in the threads of profiles, delivery, and signals. */
const points = [
  'profiles.before-commit',
  'delivery.after-request',
  'signals.before-commit',
  'signal-sender.after-append',
]

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const fields = [
  { id: 'f000', source: { type: 'VARIABLE', name: 'message_id' }, target: { name: 'messageId' } },
  { id: 'f001', source: { type: 'PROFILE', name: 'traits.email' }, target: { name: 'email' } },
  { id: 'f002', source: { type: 'PROFILE', name: 'traits.phone' }, target: { name: 'phone' } },
]
const mapping = { id: 'aaaa', event_name: 'Order Completed', destination: 'send', field_mappings: fields }

test('an order gets the email and phone of its profile within 5 s, after kills too, and a retry sends the same values', async () => {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-values-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const meta = createMetaConversions()
  const { command } = stack.use(await startVendorPeers({ 'graph.facebook.com': meta.answer }))
  const receiver = stack.use(await startWebhookReceiver())
  let product: Product | undefined
  stack.defer(async () => void (await product?.stop()))
  const start = async (env: Record<string, string> = {}): Promise<Product> => {
    product = await startProduct({ dataDir, command, env })
    await product.api.login(adminCredentials)
    return product
  }

  const first = await start()
  const { api } = first
  const { workspace } = await createWorkspace(api)
  const { source, key } = await createSource(api, workspace)
  const webhook = await createWebhook(api, workspace, source, { url: receiver.url })
  await api.ok('PUT', `/${webhook}/mappings`, { event_mappings: [mapping] })
  const platform = await api.ok('POST', `/${workspace}/destinations`, {
    title: 'Meta',
    app: { name: 'catalogDestinations/meta-conversions' },
    settings: { pixel_id: pixel, access_token: token },
  })
  await api.ok('POST', `/${workspace}/signals`, {
    title: 'Orders',
    enabled: true,
    trigger: { type: 'events', sources: [source], events: [{ event_name: 'Order Completed' }] },
    conversion: { type: 'purchase' },
    value: { type: 'event', amount_path: 'properties.total', currency_path: 'properties.currency' },
    event_id: { type: 'message_id' },
    platforms: [{ destination: platform.name }],
  })

  const personOf = (n: number) => ({ email: `person-${n}@example.com`, phone: `+4930123456${n}` })
  const identify = (n: number, messageId: string, traits: object) => ({
    type: 'identify',
    userId: `user-${n}`,
    messageId,
    traits,
  })
  const orderOf = (n: number) => ({
    type: 'track',
    event: 'Order Completed',
    userId: `user-${n}`,
    messageId: `order-${n}`,
    properties: { total: 25.5, currency: 'EUR' },
  })
  const send = async (running: Product, ...batch: object[]) =>
    expect((await post(running, '/v1/batch', key, { batch })).status).toBe(200)
  /** The values that each attempt sent to the webhook for an order. */
  const attempts = (n: number): unknown[] =>
    receiver.calls.flatMap(({ body }) => (body.includes(`"order-${n}"`) ? [JSON.parse(body)] : []))
  const conversionOf = (n: number) => [...meta.counted.values()].find(({ event_id: id }) => id === `order-${n}`)
  const arrived = async (n: number): Promise<void> => {
    const { email, phone } = personOf(n)
    await eventually(`order ${n} is at both`, () => attempts(n).length > 0 && conversionOf(n) !== undefined, 60_000)
    for (const sent of attempts(n)) expect(sent).toEqual({ messageId: `order-${n}`, email, phone })
    expect(conversionOf(n)).toMatchObject({
      user_data: { em: [sha256(email)], ph: [sha256(phone.replace('+', ''))] },
    })
  }

  const began = Date.now()
  await send(first, identify(0, 'identify-0', personOf(0)), orderOf(0))
  await arrived(0)
  // Events wait up to 30 s for profiles. On a quiet machine this takes less than 5 s.
  expect(Date.now() - began).toBeLessThan(15_000)

  // The webhook refuses the first attempt. Then the profile changes, and the product is killed before the next attempt.
  receiver.behave({ status: 500 })
  await send(first, identify(1, 'identify-1', personOf(1)), orderOf(1))
  await eventually('the order waits for a retry', async () => {
    const { parked_deliveries: parked } = await api.ok('GET', `/${webhook}/parkedDeliveries?state=waiting`)
    return (parked as unknown[]).length > 0 && conversionOf(1) !== undefined
  })
  await send(first, identify(1, 'identify-1-later', { email: 'later@example.com' }))
  await first.kill()
  receiver.behave({ status: 200 })

  let last = 1
  for (const point of points) {
    // Work of an earlier order may reach the point before the product is ready.
    const doomed = await start({ TRIBUTARY_FAULT: point }).catch(() => undefined)
    const n = ++last
    if (doomed === undefined) continue
    // The process may end before it responds.
    await send(doomed, identify(n, `identify-${n}`, personOf(n)), orderOf(n)).catch(() => {})
    await doomed.ended
  }
  const survivor = await start()
  for (let n = 2; n <= last; n++) await send(survivor, identify(n, `identify-${n}`, personOf(n)), orderOf(n))
  await survivor.api.ok('POST', `/${webhook}:retry`, {})
  for (let n = 1; n <= last; n++) await arrived(n)
  expect(attempts(1).length).toBeGreaterThan(1)
})
