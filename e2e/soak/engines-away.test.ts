import { setTimeout as pause } from 'node:timers/promises'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { storedEvents } from '../product/calls.ts'
import { createSdkLoad, expectInOrder } from '../product/sdk-load.ts'
import { startRemoteEngines } from '../product/several-processes.ts'

const awayMs = Number(process.env.SOAK_AWAY_SECONDS ?? 600) * 1000
/** Difference between the clocks of two machines, in ms. */
const apartMs = 600_000

const startWorld = async (stack: AsyncDisposableStack, movable: boolean) => {
  const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
  const engines = await startRemoteEngines(stack)
  const start = (name: string, roles: string): Promise<Product> =>
    engines.start(name, {
      ...(movable ? { movableClock: true } : {}),
      env: { TRIBUTARY_ROLES: roles, TRIBUTARY_PARTITION_GROUPS: '2' },
    })
  const main = await start('main', 'api,realtime,profiles,jobs')
  await main.api.login(adminCredentials)
  const { workspace } = await createWorkspace(main.api)
  const shop = await createSource(main.api, workspace)
  await createWebhook(main.api, workspace, shop.source, { url: receiver.url, ordered: true })
  const [c1, c2, p1, p2, d1] = await Promise.all([
    start('c1', 'collect'),
    start('c2', 'collect'),
    start('p1', 'pipeline'),
    start('p2', 'pipeline'),
    start('d1', 'delivery'),
  ])
  const load = createSdkLoad([
    { key: shop.key, url: c1.url, users: ['u0', 'u1'] },
    { key: shop.key, url: c2.url, users: ['u2', 'u3'] },
  ])
  stack.defer(() => load.stop())
  await load.more(200)
  /** Expects that all acknowledged events are stored once, in order, and delivered. */
  const settle = async (): Promise<void> => {
    await load.stop()
    const stored = await eventually(
      'what was acknowledged is stored',
      async () => {
        const events = await storedEvents(main, shop.source)
        const known = new Set(events.map((event) => event.message_id))
        return load.ids().every((id) => known.has(id)) && events
      },
      300_000,
    )
    expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
    expectInOrder(stored, load.acknowledged)
    await eventually('delivered', () => load.ids().every((id) => receiver.messageIds().has(id)), 300_000)
  }
  return { engines, start, load, settle, processes: { main, c1, c2, p1, p2, d1 } }
}

test('while the event store is unavailable for ten minutes, collection continues; then everything is stored once and in order', async () => {
  await using stack = new AsyncDisposableStack()
  const { engines, load, settle, processes } = await startWorld(stack, false)
  engines.wayToEventStore.cut()
  const before = load.ids().length
  await pause(awayMs)
  expect(load.ids().length).toBeGreaterThan(before + awayMs / 1000)
  // A process that is killed during the outage has stored nothing.
  await processes.p1.kill()
  engines.wayToEventStore.mend()
  await load.more(100)
  await settle()
})

test("with clocks ten minutes apart in collecting, processing, and delivering processes, nothing is stored twice, and the log's order remains", async () => {
  await using stack = new AsyncDisposableStack()
  const { start, load, settle, processes } = await startWorld(stack, true)
  const { c1, p1, d1 } = processes
  await c1.moveClock(apartMs)
  await load.more(100)
  await p1.moveClock(apartMs)
  await load.more(100)
  await d1.moveClock(apartMs)
  await load.more(100)
  // A process with another clock takes over the groups of a process with this clock, and returns them.
  await processes.p2.kill()
  await load.more(100)
  await p1.kill()
  await start('p2', 'pipeline')
  await load.more(100)
  await settle()
})
