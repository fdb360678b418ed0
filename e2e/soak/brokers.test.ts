import { setTimeout as pause } from 'node:timers/promises'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startKafkaCluster,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, storedEvents, track } from '../product/calls.ts'
import { createSdkLoad, expectInOrder } from '../product/sdk-load.ts'
import { startKafkaWithWay, startRemoteEngines } from '../product/several-processes.ts'

/** Duration of a broker's pause, and maximum lag of a replica before the others continue without it, in ms. */
const pausedMs = 30_000
const lagMs = 6000

test('while each of three brokers is killed or paused, and two are stopped, acknowledged events are stored once, in order, and delivered', async () => {
  await using stack = new AsyncDisposableStack()
  const kafka = await startKafkaCluster(3, {
    'replica.lag.time.max.ms': String(lagMs),
    'broker.session.timeout.ms': '6000',
    'group.initial.rebalance.delay.ms': '0',
  })
  const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
  const engines = await startRemoteEngines(stack, { kafka })
  const start = (name: string, roles: string): Promise<Product> =>
    engines.start(name, { env: { TRIBUTARY_ROLES: roles, TRIBUTARY_PARTITION_GROUPS: '2' } })
  const main = await start('main', 'api,realtime,profiles,jobs')
  await main.api.login(adminCredentials)
  const { workspace } = await createWorkspace(main.api)
  const shop = await createSource(main.api, workspace)
  await createWebhook(main.api, workspace, shop.source, { url: receiver.url, ordered: true })
  const [collector] = await Promise.all([start('c', 'collect'), start('p', 'pipeline'), start('d', 'delivery')])
  const users = ['u0', 'u1', 'u2', 'u3']
  const load = createSdkLoad([{ key: shop.key, url: collector.url, users }])
  stack.defer(() => load.stop())
  await load.more(100)
  const isStored = async (): Promise<void> => {
    const sent = load.ids()
    await eventually(
      'what was acknowledged is stored',
      async () => {
        const known = new Set((await storedEvents(main, shop.source)).map((event) => event.message_id))
        return sent.every((id) => known.has(id))
      },
      180_000,
    )
  }

  for (const broker of kafka.brokers) {
    await broker.kill()
    await load.more(100)
    await isStored()
    await broker.start()
    await load.more(50)
  }
  for (const broker of kafka.brokers) {
    const pid = broker.pid() ?? 0
    process.kill(pid, 'SIGSTOP')
    await pause(pausedMs)
    process.kill(pid, 'SIGCONT')
    await load.more(100)
    await isStored()
  }

  // Two of three brokers are stopped. The remaining broker must accept nothing, and must report this in time.
  const [first, second] = kafka.brokers
  await Promise.all([first?.kill(), second?.kill()])
  await eventually(
    'refused',
    async () => {
      const { status, headers } = await post(collector, '/v1/track', shop.key, track(`refused-${Date.now()}`))
      return status === 503 && Number(headers.get('retry-after')) > 0
    },
    60_000,
  )
  const before = load.ids().length
  await pause(5000)
  expect(load.ids()).toHaveLength(before)
  await Promise.all([first?.start(), second?.start()])
  await load.more(100)
  await load.stop()
  await isStored()
  const stored = await storedEvents(main, shop.source)
  expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
  expectInOrder(stored, load.acknowledged)
  await eventually('delivered', () => load.ids().every((id) => receiver.messageIds().has(id)), 180_000)
})

test('while Kafka is slow, groups stay in place; beyond every timeout, only stored events are acknowledged, and everything recovers', async () => {
  await using stack = new AsyncDisposableStack()
  const kafka = await startKafkaWithWay()
  const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
  const engines = await startRemoteEngines(stack, { kafka })
  const start = (name: string, roles: string): Promise<Product> =>
    engines.start(name, {
      env: { TRIBUTARY_ROLES: roles, TRIBUTARY_PARTITION_GROUPS: '2', KAFKA_BROKERS: kafka.way.address },
    })
  const main = await start('main', 'api,realtime,profiles,jobs')
  await main.api.login(adminCredentials)
  const { workspace } = await createWorkspace(main.api)
  const shop = await createSource(main.api, workspace)
  await createWebhook(main.api, workspace, shop.source, { url: receiver.url, ordered: true })
  const sharing = await Promise.all(
    ['p1', 'p2', 'd1', 'd2'].map((name) => start(name, name.startsWith('p') ? 'pipeline' : 'delivery')),
  )
  const collector = await start('c', 'collect')
  const load = createSdkLoad([{ key: shop.key, url: collector.url, users: ['u0', 'u1', 'u2', 'u3'] }])
  stack.defer(() => load.stop())
  await load.more(100)
  const took: Record<number, number> = {}
  /**
   * Waits until all acknowledged events are stored and delivered, and records the time under the current delay `ms`.
   */
  const isThrough = async (ms: number): Promise<void> => {
    const since = performance.now()
    const sent = load.ids()
    await eventually(
      'what was acknowledged is stored and delivered',
      async () => {
        const known = new Set((await storedEvents(main, shop.source)).map((event) => event.message_id))
        return sent.every((id) => known.has(id) && receiver.messageIds().has(id))
      },
      180_000,
    )
    took[ms] = Math.round(performance.now() - since)
  }
  await isThrough(0)
  // Delays the data of each request in both directions.
  for (const ms of [50, 500]) {
    kafka.way.hold(ms)
    await load.more(40)
    await isThrough(ms)
  }
  for (const { output } of sharing) expect(output()).not.toContain('lets go of')
  kafka.way.hold(8000)
  const refused = await eventually(
    'refused',
    async () => {
      const answer = await post(collector, '/v1/track', shop.key, track(`refused-${Date.now()}`))
      return answer.status === 503 && answer
    },
    60_000,
  )
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await pause(pausedMs)
  kafka.way.hold(0)
  await load.more(100)
  await load.stop()
  await isThrough(8000)
  const stored = await storedEvents(main, shop.source)
  expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
  expectInOrder(stored, load.acknowledged)
  process.stdout.write(`until all was through, ms: ${JSON.stringify(took)}\n`)
})
