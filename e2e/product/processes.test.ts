import { randomUUID } from 'node:crypto'
import { parseEventId } from '@tributary/kernel'
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
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post, storedEvents, track } from './calls.ts'
import { listen } from './live-channel.ts'
import { contractAsVersionAfter, contractUnheard, expandAsNextVersion } from './next-version.ts'
import { createSdkLoad, expectInOrder, userPauseMs } from './sdk-load.ts'
import { startKafkaWithWay, startRemoteEngines } from './several-processes.ts'

const groups = 4
const roles = { main: 'api,realtime,profiles,jobs', collect: 'collect', pipeline: 'pipeline', delivery: 'delivery' }

/** Returns the number of groups of its role that a process owns, from its health response. */
const held = async (process: Product, role: string): Promise<number> => {
  const answer = await fetch(`${process.url}/health/ready`).catch((cause: unknown) => {
    throw new Error(`The process does not answer. It printed:\n${process.output().slice(-3000)}`, { cause })
  })
  const { parts } = (await answer.json()) as { parts: Record<string, { ok: boolean; detail?: string }> }
  return parts[role]?.ok ? Number(/^has (\d+) of/.exec(parts[role].detail ?? '')?.[1]) : -1
}

/** Creates a source in each group of partitions, each with a webhook that keeps the order. */
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

/** Waits until each of these processes has its share of a role's groups. */
const shared = async (role: string, ...processes: Product[]): Promise<void> => {
  const share = groups / processes.length
  await eventually(
    `each ${role} has its share`,
    async () => (await Promise.all(processes.map((each) => held(each, role)))).every((count) => count === share),
    60_000,
  )
}

describe.skipIf(skipsKafka())('two processes of each role beside a main process', () => {
  const stack = new AsyncDisposableStack()
  let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>
  let kafka: Awaited<ReturnType<typeof startKafkaWithWay>>
  let engines: Awaited<ReturnType<typeof startRemoteEngines>>
  let main: Product
  let c1: Product
  let c2: Product
  let p1: Product
  let p2: Product
  let d1: Product
  let d2: Product
  const start = (name: string, role: keyof typeof roles, env: Record<string, string> = {}): Promise<Product> =>
    engines.start(name, {
      env: { TRIBUTARY_ROLES: roles[role], TRIBUTARY_PARTITION_GROUPS: String(groups), ...env },
    })
  beforeAll(async () => {
    receiver = stack.use(await startWebhookReceiver())
    kafka = await startKafkaWithWay()
    engines = await startRemoteEngines(stack, { kafka })
    main = await start('main', 'main')
    ;[c1, c2, p1, p2, d1, d2] = await Promise.all([
      start('c1', 'collect'),
      start('c2', 'collect'),
      start('p1', 'pipeline'),
      start('p2', 'pipeline'),
      start('d1', 'delivery'),
      start('d2', 'delivery'),
    ])
    await main.api.login(adminCredentials)
    await Promise.all([shared('pipeline', p1, p2), shared('delivery', d1, d2)])
  }, 240_000)
  afterAll(() => stack.disposeAsync(), 60_000)

  test('changes through the API reach the processes that run the pipeline and deliver: live events, connections, retries, syncs, deletions', async () => {
    const { api } = main
    const { workspace } = await createWorkspace(api)
    const { source, sourceId, key } = await createSource(api, workspace)
    await eventually('the new key', async () => (await post(c1, '/v1/track', key, track('first'))).status === 200)
    const live = await listen(main, String(api.token), `private-sources-${sourceId}`)
    const isHeard = (id: string): boolean => JSON.stringify(live.heard).includes(id)
    let heard = 0
    await eventually('heard live', async () => {
      await post(c1, '/v1/track', key, track(`live-${heard++}`))
      return isHeard('"live-')
    })
    live.close()

    // Each change applies to all events that are sent after its response.
    const destination = await createWebhook(api, workspace, source, { url: receiver.url })
    await post(c1, '/v1/track', key, track('connected'))
    await eventually('delivered', () => receiver.messageIds().has('connected'))
    receiver.behave({ status: 500 })
    await post(c2, '/v1/track', key, track('parked'))
    await eventually('parked', async () => {
      const { deliveries } = await api.ok('GET', `/${destination}/deliveries`)
      return (deliveries as { status: string }[]).some(({ status }) => status === 'retry')
    })
    receiver.behave({ status: 200 })
    await api.ok('POST', `/${destination}:retry`, {})
    await eventually('retried', () => receiver.messageIds().has('parked'))

    const make = async (kind: string, body: Record<string, unknown>): Promise<string> =>
      String((await api.ok('POST', `/${workspace}/${kind}`, body)).name)
    const list = await make('dataSources', { title: 'List', app: { name: 'catalogDataSources/file' } })
    const rows = Array.from({ length: 5000 }, (_, row) => `user-${row},${randomUUID()}${randomUUID()}${randomUUID()}`)
    await api.ok('POST', `/${list}/uploads`, {
      upload_id: randomUUID(),
      file_name: 'people.csv',
      offset: 0,
      content: Buffer.from(['email,note', ...rows].join('\n')).toString('base64'),
      last: true,
    })
    const model = await make('models', {
      title: 'List',
      data_source: list,
      query: { schema: 'file', table: 'rows' },
      primary_key: ['email'],
    })
    const target = await make('destinations', {
      title: 'Endpoint',
      app: { name: 'catalogDestinations/webhook' },
      settings: { url: receiver.url },
    })
    const sync = await make('syncs', {
      title: 'People',
      model,
      destination: target,
      object: 'records',
      object_name: 'people',
      mode: 'FULL_SYNC',
      identifier: 'email',
      guard_percent: 100,
      fields: ['email', 'note'].map((name) => ({ column: name, target: name })),
    })
    receiver.calls.length = 0
    await api.ok('POST', `/${sync}:run`, {})
    const run = await eventually(
      'the run has ended',
      async () => {
        const { runs } = (await api.ok('GET', `/${sync}/runs`)) as { runs: { finish_time: string | null }[] }
        return runs[0]?.finish_time !== null && runs[0]
      },
      90_000,
    )
    expect(run).toMatchObject({ state: 'succeeded', counts: { read: 5000, added: 5000, waiting: 0 } })
    const keys = receiver.calls.flatMap(({ body }) => [JSON.parse(body) as { key: string }]).map((row) => row.key)
    expect(new Set(keys).size).toBe(5000)

    const deletion = await make('privacyRequests', {
      kind: 'delete',
      identifiers: [{ type: 'user_id', value: 'u-1' }],
    })
    await eventually(
      'erased',
      async () => {
        const { places } = (await api.ok('GET', `/${deletion}`)) as { places: { place: string; state: string }[] }
        return places.every(({ place, state }) => state === (place === 'logs' ? 'waiting' : 'done'))
      },
      60_000,
    )
    expect(await storedEvents(main, source)).toEqual([])
  }, 240_000)

  test('with any process killed, stopped, paused, or cut off, and on the next schema version, acknowledged events are stored once and delivered in order', async () => {
    const shops = await createShops(main, receiver.url)
    const { workspace: wide } = await createWorkspace(main.api, 'Wide')
    const wideSource = await createSource(main.api, wide)
    await createWebhook(main.api, wide, wideSource.source, { url: receiver.url, ordered: true })
    const wideId = wide.split('/').at(-1) ?? ''
    const load = createSdkLoad(
      [
        ...shops.flatMap(({ key }, at) => [
          { key, url: c1.url, users: [`u${at}a`] },
          { key, url: c2.url, users: [`u${at}b`] },
        ]),
        { key: wideSource.key, url: c1.url, users: ['u4a', 'u4b', 'u4c', 'u4d'] },
        { key: wideSource.key, url: c2.url, users: ['u4e', 'u4f', 'u4g', 'u4h'] },
      ],
      { pauseMs: userPauseMs },
    )
    shops.push(wideSource)
    stack.defer(() => load.stop())
    const sentTo = (at: number) => new Map([...load.acknowledged].filter(([user]) => user.startsWith(`u${at}`)))
    const eventOf = (userId: string, messageId: string) => ({ type: 'track', event: 'Ordered', userId, messageId })
    /** Sends all acknowledged events of a source again, as if the responses had been lost. */
    const sendAgain = async (at: number): Promise<void> => {
      const events = [...sentTo(at)].flatMap(([userId, ids]) => ids.map((id) => eventOf(userId, id)))
      for (let from = 0; from < events.length; from += 500) {
        const batch = events.slice(from, from + 500)
        expect((await post(c1, '/v1/batch', shops[at]?.key ?? '', { batch })).status).toBe(200)
      }
    }
    const byWay = { KAFKA_BROKERS: kafka.way.address }
    const took: Record<string, number> = {}
    /** Waits until the other process owns all groups, and records the time in ms. */
    const takenOver = async (what: string, role: string, by: Product): Promise<void> => {
      const since = performance.now()
      await shared(role, by)
      took[what] = Math.round(performance.now() - since)
      await load.more(100)
    }
    await load.more(200)
    expect(await engines.run('spread', wideId, '4')).toContain('is in 4 partitions')
    await sendAgain(shops.indexOf(wideSource))
    await load.more(100)
    await expandAsNextVersion(engines.urls)

    const all = () => Promise.all([shared('pipeline', p1, p2), shared('delivery', d1, d2)])

    await Promise.all([p1.kill(), d1.kill()])
    await Promise.all([takenOver('pipeline killed', 'pipeline', p2), takenOver('delivery killed', 'delivery', d2)])

    // Each process kills itself after it has stored or sent something that it has not recorded yet.
    ;[p1, d1] = await Promise.all([
      start('p1', 'pipeline', { TRIBUTARY_FAULT: 'pipeline.after-insert:10' }),
      start('d1', 'delivery', { TRIBUTARY_FAULT: 'delivery.before-commit:10' }),
    ])
    await Promise.all([p1.ended, d1.ended])
    await Promise.all([
      takenOver('pipeline killed after an insert', 'pipeline', p2),
      takenOver('delivery killed before a commit', 'delivery', d2),
    ])
    ;[p1, d1] = await Promise.all([start('p1', 'pipeline'), start('d1', 'delivery')])
    await all()
    expect(await engines.run('spread', wideId, '2')).toContain('is in 2 partitions')
    await sendAgain(shops.indexOf(wideSource))

    const ending = [p2.stop(), d2.stop()]
    await Promise.all([takenOver('pipeline stopped', 'pipeline', p1), takenOver('delivery stopped', 'delivery', d1)])
    expect(await Promise.all(ending)).toEqual([0, 0])
    // These processes use a connection to Kafka that will be cut.
    ;[p2, d2] = await Promise.all([start('p2', 'pipeline', byWay), start('d2', 'delivery', byWay)])
    await all()

    // Both processes are paused for longer than their leases. Each continues without its former groups, and gets its
    // share again.
    for (const each of [p1, d1]) process.kill(each.pid, 'SIGSTOP')
    await Promise.all([takenOver('pipeline paused', 'pipeline', p2), takenOver('delivery paused', 'delivery', d2)])
    for (const each of [p1, d1]) process.kill(each.pid, 'SIGCONT')
    await all()

    // Two processes no longer reach Kafka, while all others do.
    kafka.way.cut()
    await Promise.all([
      takenOver('pipeline cut off from Kafka', 'pipeline', p1),
      takenOver('delivery cut off from Kafka', 'delivery', d1),
    ])
    kafka.way.mend()
    await all()

    // Kafka itself is unavailable: nothing is acknowledged, and everything continues automatically when Kafka is back.
    await kafka.kill()
    const refused = await eventually('refused', async () => {
      const answer = await post(c1, '/v1/track', wideSource.key, track('refused'))
      return answer.status === 503 && answer
    })
    expect(refused.headers.get('retry-after')).toBe('5')
    await kafka.start()
    await load.more(100)
    await all()

    // PostgreSQL is unavailable for longer than a lease: nothing is processed, but collection continues.
    engines.way.cut()
    expect(await main.ended).toBe(1)
    await load.more(50)
    engines.way.mend()
    main = await start('main', 'main')
    await all()
    await main.kill()
    await load.more(100)
    main = await start('main', 'main')
    await c1.kill()
    expect(await c2.stop()).toBe(0)
    ;[c1, c2] = await Promise.all([start('c1', 'collect'), start('c2', 'collect')])
    await load.more(100)
    await load.stop()

    // Repeated events are recognized, whichever process and partition had them first.
    for (const at of shops.keys()) {
      await sendAgain(at)
      // Sends a last event behind the others in each partition.
      const last = [...sentTo(at).keys()].map((userId) => eventOf(userId, `last-${userId}`))
      expect((await post(c1, '/v1/batch', shops[at]?.key ?? '', { batch: last })).status).toBe(200)
    }

    await main.api.login(adminCredentials)
    let count = 0
    for (const [at, { source }] of shops.entries()) {
      const sent = sentTo(at)
      const ids = [...sent].flatMap(([user, acknowledged]) => [...acknowledged, `last-${user}`])
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
      const partitions = new Set(stored.map(({ event_id: id }) => parseEventId(id)?.partition))
      expect(partitions.size).toBe(source === wideSource.source ? groups : 1)
      count += ids.length
    }
    await eventually('delivered', () => load.ids().every((id) => receiver.messageIds().has(id)), 120_000)
    // Compares the order of the first arrivals, because events that are sent again arrive again.
    const arrived = new Map([...receiver.messageIds().keys()].map((id, place) => [id, place]))
    for (const [user, sent] of load.acknowledged) {
      const late = sent.filter((id, at) => (arrived.get(id) ?? -1) < (arrived.get(sent[at - 1] ?? id) ?? -1))
      expect(late, `events of ${user} that arrived before the event that was sent before them`).toEqual([])
    }
    const again = load.ids().reduce((sum, id) => sum + (receiver.messageIds().get(id) ?? 1) - 1, 0)
    console.info(`taken over, ms: ${JSON.stringify(took)}; ${count} events, ${again} sent again`)
  }, 900_000)

  test('tables that a process of any role uses are not dropped while it runs; an unseen process ends and cannot start again', async () => {
    const running = { 'api,realtime,profiles,jobs': main, collect: c1, pipeline: p1, delivery: d1 }
    const refused = await contractAsVersionAfter(engines.urls).catch(String)
    for (const each of Object.keys(running)) expect(refused).toContain(`${each} on `)
    const all = [main, c1, c2, p1, p2, d1, d2]
    expect(all.map(({ output }) => output().includes('newer version of Tributary'))).not.toContain(true)
    await contractUnheard(engines.urls)
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => 1))
    for (const { output } of all)
      expect(output()).toMatch(/changed by a newer version of Tributary \(9002-version-after\).*cannot work with it/)
    const starts = [start('main', 'main'), start('c1', 'collect'), start('p1', 'pipeline')]
    for (const each of await Promise.allSettled(starts)) {
      const said = String(each.status === 'rejected' && each.reason)
      expect(said).toContain('changed by a newer version of Tributary')
      expect(said).not.toMatch(/\n\s+at [^\n]*dist/)
    }
  }, 120_000)
})
