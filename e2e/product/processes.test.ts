import { groupOfPartition, partitionOf } from '@tributary/storage'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  skipsKafka,
  startWebhookReceiver,
  type TestSource,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { storedEvents } from './calls.ts'
import { createSdkLoad, expectInOrder } from './sdk-load.ts'
import { startRemoteEngines } from './several-processes.ts'

const groups = 4
const roles = { main: 'api,realtime,profiles,jobs', collect: 'collect', pipeline: 'pipeline', delivery: 'delivery' }

/** How many groups of its role a process has, as its health says. */
const held = async (process: Product, role: string): Promise<number> => {
  const answer = await fetch(`${process.url}/health/ready`)
  const { parts } = (await answer.json()) as { parts: Record<string, { ok: boolean; detail?: string }> }
  return parts[role]?.ok ? Number(/^has (\d+) of/.exec(parts[role].detail ?? '')?.[1]) : -1
}

/** A source in each group of partitions, each with a webhook that keeps the order. */
const createShops = async ({ api }: Product, url: string): Promise<TestSource[]> => {
  const shops = new Map<number, TestSource>()
  for (let tries = 0; shops.size < groups; tries++) {
    const { workspace } = await createWorkspace(api, `Shop ${tries}`)
    const group = groupOfPartition(partitionOf(workspace.split('/').at(-1) ?? '', 64), groups)
    if (shops.has(group)) continue
    const shop = await createSource(api, workspace)
    await createWebhook(api, workspace, shop.source, { url, ordered: true })
    shops.set(group, shop)
  }
  return [...shops.values()]
}

test.skipIf(skipsKafka())(
  'whichever process of any role is killed, stopped, or paused, every acknowledged event is stored once and delivered, in order',
  async () => {
    await using stack = new AsyncDisposableStack()
    const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
    const engines = await startRemoteEngines(stack)
    const start = (name: string, role: keyof typeof roles, standsBy?: true): Promise<Product> =>
      engines.start(name, {
        ...(standsBy === undefined ? {} : { standsBy }),
        env: { TRIBUTARY_ROLES: roles[role], TRIBUTARY_PARTITION_GROUPS: String(groups) },
      })
    let main = await start('main', 'main')
    await main.api.login(adminCredentials)
    const shops = await createShops(main, receiver.url)
    const started = await Promise.all([
      start('c1', 'collect'),
      start('c2', 'collect'),
      start('p1', 'pipeline'),
      start('p2', 'pipeline'),
      start('d1', 'delivery'),
      start('d2', 'delivery'),
    ])
    const [c1, c2] = started
    let [, , p1, p2, d1, d2] = started
    const shared = async (role: string, ...processes: Product[]): Promise<void> => {
      const share = groups / processes.length
      await eventually(
        `each ${role} has its share`,
        async () => (await Promise.all(processes.map((each) => held(each, role)))).every((count) => count === share),
        60_000,
      )
    }
    await Promise.all([shared('pipeline', p1, p2), shared('delivery', d1, d2)])
    const load = createSdkLoad(
      shops.flatMap(({ key }, at) => [
        { key, url: c1.url, users: [`u${at}a`] },
        { key, url: c2.url, users: [`u${at}b`] },
      ]),
    )
    stack.defer(() => load.stop())
    const took: Record<string, number> = {}
    /** Until the other one has all of it, ms. */
    const takenOver = async (what: string, role: string, by: Product): Promise<void> => {
      const since = performance.now()
      await shared(role, by)
      took[what] = Math.round(performance.now() - since)
      await load.more(100)
    }
    await load.more(200)

    await p1.kill()
    await takenOver('pipeline killed', 'pipeline', p2)
    p1 = await start('p1', 'pipeline')
    await shared('pipeline', p1, p2)
    const ended = p2.stop()
    await takenOver('pipeline stopped', 'pipeline', p1)
    expect(await ended).toBe(0)
    p2 = await start('p2', 'pipeline')
    await shared('pipeline', p1, p2)

    await d1.kill()
    await takenOver('delivery killed', 'delivery', d2)
    d1 = await start('d1', 'delivery')
    await shared('delivery', d1, d2)
    const away = d2.stop()
    await takenOver('delivery stopped', 'delivery', d1)
    expect(await away).toBe(0)
    d2 = await start('d2', 'delivery')

    // Paused for longer than its leases, both at once; each goes on without what it had, and gets its share again.
    for (const each of [p1, d1]) process.kill(each.pid, 'SIGSTOP')
    await Promise.all([takenOver('pipeline paused', 'pipeline', p2), takenOver('delivery paused', 'delivery', d2)])
    for (const each of [p1, d1]) process.kill(each.pid, 'SIGCONT')
    await Promise.all([shared('pipeline', p1, p2), shared('delivery', d1, d2)])

    await main.kill()
    await load.more(100)
    main = await start('main', 'main')
    await c1.kill()
    await start('c1', 'collect')
    await c2.stop()
    await start('c2', 'collect')
    await load.more(100)
    await load.stop()

    await main.api.login(adminCredentials)
    let count = 0
    for (const [at, { source }] of shops.entries()) {
      const sent = new Map([...load.acknowledged].filter(([user]) => user.startsWith(`u${at}`)))
      const ids = [...sent.values()].flat()
      await eventually(
        'what was acknowledged is stored',
        async () => {
          const known = new Set((await storedEvents(main, source)).map((event) => event.message_id))
          return ids.every((id) => known.has(id))
        },
        60_000,
      )
      const stored = await storedEvents(main, source)
      expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
      expectInOrder(stored, sent)
      count += ids.length
    }
    await eventually('delivered', () => load.ids().every((id) => receiver.messageIds().has(id)), 120_000)
    // As they came first: what is sent again comes again.
    const arrived = new Map([...receiver.messageIds().keys()].map((id, place) => [id, place]))
    for (const [user, sent] of load.acknowledged) {
      const places = sent.map((id) => arrived.get(id) ?? -1)
      expect(places, user).toEqual(places.toSorted((a, b) => a - b))
    }
    const again = [...receiver.messageIds().values()].reduce((sum, times) => sum + times - 1, 0)
    console.info(`taken over, ms: ${JSON.stringify(took)}; ${count} events, ${again} sent again`)
  },
  // Fifteen starts on a machine that may be busy.
  900_000,
)
