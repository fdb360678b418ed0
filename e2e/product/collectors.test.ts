import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Analytics } from '@segment/analytics-node'
import { isEarlier, parseEventId, silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  readMetrics,
  skipsKafka,
  startProduct,
  startSharedPostgres,
  startWebhookReceiver,
  withDatabase,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, type StoredEvent, storedEvents, track } from './calls.ts'
import { userPauseMs } from './sdk-load.ts'
import { startKafkaWithWay } from './several-processes.ts'

/** A data folder that does not exist, because a process that only collects needs none. */
const nowhere = '/nowhere/tributary'

/** Returns the position of a stored event in the log of requests. */
const placeOf = ({ event_id }: StoredEvent) => {
  const place = parseEventId(event_id)
  if (place === undefined) throw new Error(`${event_id} is no id of an event`)
  return place
}

/** Starts the engines on this machine, but reachable by address, so that processes share nothing in a folder. */
const startEngines = async (stack: AsyncDisposableStack) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-collectors-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const [kafka, postgres] = await Promise.all([startKafkaWithWay(), startSharedPostgres()])
  stack.use(kafka)
  stack.use(postgres)
  const database = withDatabase(postgres.url, 'postgres')
  const env = {
    KAFKA_BROKERS: kafka.address,
    DATABASE_URL: database,
    TRIBUTARY_SECRET_KEY: 'the-same-secret-key-in-each-process',
  }
  return {
    kafka,
    database,
    startMain: (): Promise<Product> => startProduct({ dataDir, env }),
    startCollector: (KAFKA_BROKERS = kafka.address): Promise<Product> =>
      startProduct({
        dataDir: nowhere,
        env: { ...env, KAFKA_BROKERS, TRIBUTARY_ROLES: 'collect', TRIBUTARY_WORKSPACE_BACKLOG_MB: '4' },
      }),
  }
}

/**
 * Creates workers that send events to processes, one after the other, each for its own user. They record the
 * acknowledged events.
 */
const createLoad = (key: string) => {
  const acknowledged = new Map<string, string[]>()
  let serial = 0
  const worker = async (user: string, at: () => Product, running: () => boolean): Promise<void> => {
    const ids: string[] = []
    acknowledged.set(user, ids)
    while (running()) {
      const id = `${user}-${serial++}`
      const answer = await post(at(), '/v1/track', key, track(id, { userId: user })).catch(() => undefined)
      if (answer?.status === 200) ids.push(id)
      // Sends dozens of events per second. More would only make the counting at the end slow.
      await pause(userPauseMs)
    }
  }
  let rounds = 0
  const count = (): number => [...acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0)
  return {
    acknowledged,
    /**
     * Runs two workers for each process until `done` resolves. `done` is called after `least` requests of each worker
     * were acknowledged.
     */
    async during(places: readonly (() => Product)[], least: number, done: () => Promise<unknown>): Promise<void> {
      let running = true
      const round = rounds++
      const users = places.flatMap((_, place) => [0, 1].map((n) => `u${round}.${place}.${n}`))
      const workers = users.map((user, at) => worker(user, places[Math.floor(at / 2)] as () => Product, () => running))
      const all = (): boolean => users.every((user) => (acknowledged.get(user)?.length ?? 0) >= least)
      await eventually('events acknowledged at each place', all, 60_000)
      await done()
      running = false
      await Promise.all(workers)
    },
    count,
  }
}

test.skipIf(skipsKafka())(
  'if each of three collecting processes is killed, acknowledged events are stored once, in order, and delivered; a stopped one counts until all its requests are in the log',
  async () => {
    await using stack = new AsyncDisposableStack()
    const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
    const { kafka, database, startMain, startCollector } = await startEngines(stack)
    await expect(startCollector()).rejects.toThrow('start the main process, in this version,')
    let main = await startMain()
    stack.defer(() => main[Symbol.asyncDispose]())
    let [one, two] = await Promise.all([startCollector(), startCollector()])
    stack.defer(async () => void (await Promise.all([one, two].map((each) => each[Symbol.asyncDispose]()))))
    await main.api.login(adminCredentials)
    const { workspace } = await createWorkspace(main.api)
    const shop = await createSource(main.api, workspace)
    await createWebhook(main.api, workspace, shop.source, { url: receiver.url })
    const load = createLoad(shop.key)
    const { pool } = stack.use(openRelational({ url: database, logger: silentLogger, maxConnections: 1 }))
    const collectors = async (): Promise<string[]> => {
      const { rows } = await pool.query<{ id: string }>(`select id from processes where 'collect' = any(roles)`)
      return rows.map(({ id }) => id)
    }

    // A process that only collects answers the requests of SDKs and operators, and no other requests; a new key works
    // there, too.
    for (const { url } of [one, two]) {
      await eventually('the new key', async () => {
        const answer = await fetch(`${url}/v1/projects/${shop.key}/settings`)
        return answer.status === 200
      })
      for (const path of ['/', '/api/docs', '/docs', '/pusher/apps', '/workspaces'])
        expect(await (await fetch(`${url}${path}`)).json(), path).toMatchObject({
          code: 404,
          reason: 'COLLECTION_ONLY',
        })
      expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    }
    const sdks = [one, two].map(({ url }) => new Analytics({ writeKey: shop.key, host: url, flushInterval: 50 }))
    const sdkErrors: unknown[] = []
    for (const [at, sdk] of sdks.entries()) {
      sdk.on('error', (error) => sdkErrors.push(error))
      for (const n of [0, 1, 2]) sdk.track({ userId: `sdk-${at}`, event: 'By an SDK', messageId: `sdk-${at}-${n}` })
    }
    await Promise.all(sdks.map((sdk) => sdk.closeAndFlush()))
    expect(sdkErrors).toEqual([])
    for (const at of [0, 1])
      load.acknowledged.set(
        `sdk-${at}`,
        [0, 1, 2].map((n) => `sdk-${at}-${n}`),
      )

    // Each process is killed while all accept events; the other processes continue.
    const places = [() => main, () => one, () => two]
    await load.during(places, 20, () => one.kill())
    await load.during([places[0], places[2]] as (() => Product)[], 20, () => main.kill())
    let counted: () => Promise<boolean> = async () => false
    await load.during([() => two], 20, async () => {
      const earlier = await collectors()
      // A collecting process also starts without the main process. This one reaches Kafka by a way that can be cut.
      one = await startCollector(kafka.way.address)
      const [id = ''] = (await collectors()).filter((each) => !earlier.includes(each))
      counted = async () => (await collectors()).includes(id)
      await two.kill()
    })
    await load.during([() => one], 20, async () => {})
    // No process runs the pipeline, so that a workspace can use its share of the waiting bytes, but not more.
    const large = (id: string): Promise<Response> =>
      post(one, '/v1/track', shop.key, track(id, { userId: 'large', properties: { text: 'x'.repeat(30_000) } }))
    const largeIds: string[] = []
    load.acknowledged.set('large', largeIds)
    const refused = await eventually('refused', async () => {
      const id = `large-${largeIds.length}`
      const answer = await large(id)
      if (answer.status === 200) largeIds.push(id)
      return answer.status !== 200 && answer
    })
    expect([refused.status, ((await refused.json()) as { reason: string }).reason]).toEqual([429, 'WORKSPACE_BACKLOG'])
    main = await startMain()
    await main.api.login(adminCredentials)
    await eventually('its share is free again', async () => (await large('large-last')).status === 200, 60_000)
    largeIds.push('large-last')
    two = await startCollector()
    await load.during(places, 20, async () => {})

    const refusedBySource = `/${shop.source}/refusedRequests`
    await eventually('what was refused is shown', async () => {
      const page = JSON.stringify(await main.api.ok('GET', refusedBySource))
      return page.includes('WORKSPACE_BACKLOG')
    })

    expect(await (await readMetrics(one.url)).text()).toContain('tributary_collect_requests_total')

    // A process that is being stopped still responds to the requests that it has accepted.
    await load.during([() => two], 20, async () => expect(await two.stop()).toBe(0))

    // Without Kafka, a process reports this. When it is stopped then, only Kafka can keep what it has taken.
    kafka.way.cut()
    const answer = await post(one, '/v1/track', shop.key, track('refused'))
    expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, expect.toSatisfy((s) => s > 0)])
    expect((await fetch(`${one.url}/health/ready`)).status).toBe(503)
    expect((await fetch(`${one.url}/health/live`)).status).toBe(200)
    const ending = one.stop()
    await eventually('no connections are taken', () =>
      fetch(`${one.url}/health/live`).then(
        () => false,
        () => true,
      ),
    )
    for (let looks = 0; looks < 20; looks++) {
      expect(await counted()).toBe(true)
      await pause(50)
    }
    kafka.way.mend()
    expect(await ending).toBe(0)
    expect(await counted()).toBe(false)
    expect(existsSync(nowhere)).toBe(false)

    const ids = [...load.acknowledged.values()].flat()
    expect(ids.length).toBe(load.count())
    const stored = await eventually(
      'every acknowledged event stored',
      async () => {
        const events = await storedEvents(main, shop.source)
        const known = new Set(events.map((event) => event.message_id))
        return [...ids, 'refused'].every((id) => known.has(id)) && events
      },
      120_000,
    )
    expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
    const placeById = new Map(stored.map((event) => [event.message_id, placeOf(event)]))
    for (const [user, sent] of load.acknowledged)
      for (const [at, id] of sent.entries()) {
        const [before, place] = [placeById.get(sent[at - 1] ?? ''), placeById.get(id)]
        if (before === undefined || place === undefined) continue
        const isInOrder = isEarlier(before, place) || (before.offset === place.offset && before.index < place.index)
        expect(isInOrder, `${id} of ${user}`).toBe(true)
      }
    await eventually('delivered', () => ids.every((id) => receiver.messageIds().has(id)), 120_000)
    expect(await main.stop()).toBe(0)
  },
  // The test has eight starts, on a machine that may be busy.
  600_000,
)
