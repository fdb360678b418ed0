import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Analytics } from '@segment/analytics-node'
import { isEarlier, parseEventId } from '@tributary/kernel'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  skipsKafka,
  startKafka,
  startProduct,
  startSharedEventStore,
  startSharedPostgres,
  startWebhookReceiver,
  withDatabase,
  withEventDatabase,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, type StoredEvent, storedEvents, track } from './calls.ts'

const secretKey = 'the-same-secret-key-in-each-process'

/** A port that is free now. */
const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

/** A way to a PostgreSQL that can be cut, as if the server had stopped. */
const startWay = async (url: string) => {
  // An address of a socket has no host.
  const address = new URL(url.replace('@/', '@socket/'))
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const there = connect(`${address.searchParams.get('host')}/.s.PGSQL.5432`)
    for (const [socket, other] of [
      [client, there],
      [there, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://${address.username}@127.0.0.1:${(server.address() as AddressInfo).port}${address.pathname}`,
    cut(): void {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend(): void {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Everything is on one machine here, but by address: what processing knows is in no folder. */
const startEngines = async (stack: AsyncDisposableStack) => {
  const root = await mkdtemp(join(tmpdir(), 'tributary-standby-'))
  stack.defer(() => rm(root, { recursive: true, force: true }))
  const [kafka, postgres, eventStore] = await Promise.all([
    startKafka(),
    startSharedPostgres(),
    startSharedEventStore(),
  ])
  stack.use(kafka)
  stack.use(postgres)
  stack.use(eventStore)
  const way = stack.use(await startWay(withDatabase(postgres.url, 'postgres')))
  const env = {
    KAFKA_BROKERS: kafka.address,
    DATABASE_URL: way.url,
    CLICKHOUSE_URL: withEventDatabase(eventStore.url, 'default'),
    TRIBUTARY_SECRET_KEY: secretKey,
  }
  const folder = (name: string): string => join(root, name)
  const start = async (
    name: string,
    more: { standsBy?: true; env?: Record<string, string> } = {},
  ): Promise<Product> => {
    const product = await startProduct({
      dataDir: folder(name),
      ...more,
      env: { ...env, PORT: await freePort(), ...more.env },
    })
    stack.defer(() => product.kill())
    return product
  }
  return { way, folder, start }
}

/** Users who send one event after the other by the SDK, and remember which were acknowledged. */
const createLoad = (key: string, at: Pick<Product, 'url'>) => {
  const acknowledged = new Map<string, string[]>()
  const sdk = new Analytics({ writeKey: key, host: at.url, flushInterval: 20, maxRetries: 20 })
  sdk.on('error', () => {})
  let running = true
  let serial = 0
  const user = async (userId: string): Promise<void> => {
    const ids: string[] = []
    acknowledged.set(userId, ids)
    while (running) {
      const messageId = `${userId}-${serial++}`
      await new Promise<void>((resolve) =>
        sdk.track({ userId, event: 'Ordered', messageId }, (error) => {
          if (error === undefined) ids.push(messageId)
          resolve()
        }),
      )
      await pause(20)
    }
  }
  const users = ['u0', 'u1', 'u2', 'u3', 'u4', 'u5'].map(user)
  const count = (): number => [...acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0)
  return {
    acknowledged,
    ids: () => [...acknowledged.values()].flat(),
    /** Resolves when so many more are acknowledged. */
    async more(least: number): Promise<void> {
      const wanted = count() + least
      await eventually('events acknowledged', () => count() >= wanted, 60_000)
    },
    async stop(): Promise<void> {
      running = false
      await Promise.all(users)
      await sdk.closeAndFlush()
    },
  }
}

/** Until a process that stood by is the main process, ms. */
const takesOver = async (product: Product, since: number): Promise<number> => {
  await eventually('the takeover', () => product.output().includes('Tributary is ready at'), 90_000)
  return Math.round(performance.now() - since)
}

const expectInOrder = (stored: readonly StoredEvent[], acknowledged: ReadonlyMap<string, readonly string[]>): void => {
  const places = new Map(stored.map((event) => [event.message_id, parseEventId(event.event_id)]))
  for (const [user, sent] of acknowledged)
    for (const [at, id] of sent.entries()) {
      const [before, place] = [places.get(sent[at - 1] ?? ''), places.get(id)]
      if (before === undefined || place === undefined) continue
      const isInOrder = isEarlier(before, place) || (before.offset === place.offset && before.index < place.index)
      expect(isInOrder, `${id} of ${user}`).toBe(true)
    }
}

test.skipIf(skipsKafka())(
  'whatever becomes of the main process and its disk, another one takes over, and what was acknowledged is stored once, in order, and delivered',
  async () => {
    await using stack = new AsyncDisposableStack()
    const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
    const { way, folder, start } = await startEngines(stack)
    const first = await start('a')
    await first.api.login(adminCredentials)
    const { workspace } = await createWorkspace(first.api)
    const shop = await createSource(first.api, workspace)
    await createWebhook(first.api, workspace, shop.source, { url: receiver.url })
    const collector = await start('nowhere', { env: { TRIBUTARY_ROLES: 'collect' } })
    await eventually('the new key', async () => {
      const answer = await fetch(`${collector.url}/v1/projects/${shop.key}/settings`)
      return answer.status === 200
    })
    await expect(start('stranger', { env: { TRIBUTARY_SECRET_KEY: '' } })).rejects.toThrow('secret key')
    const load = createLoad(shop.key, collector)
    stack.defer(() => load.stop())
    const took: Record<string, number> = {}
    /** Sends what was stored long since once more. */
    const repeat = async (): Promise<string> => {
      const id = load.ids().at(0) ?? ''
      const other = load.ids().at(-200) ?? id
      for (const each of [id, other])
        expect((await post(collector, '/v1/track', shop.key, track(each))).status).toBe(200)
      return id
    }
    const isStored = async (main: Product): Promise<void> => {
      await main.api.login(adminCredentials)
      const sent = load.ids()
      await eventually('what was acknowledged is stored', async () => {
        const known = new Set((await storedEvents(main, shop.source)).map((event) => event.message_id))
        return sent.every((id) => known.has(id))
      })
    }

    // Killed, and its disk with it.
    const second = await start('b', { standsBy: true })
    expect((await fetch(`${second.url}/health/live`)).status).toBe(200)
    const ready = await fetch(`${second.url}/health/ready`)
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('stands by')])
    expect((await post(second, '/v1/track', shop.key, track('refused'))).status).toBe(503)
    await load.more(300)
    let since = performance.now()
    await first.kill()
    await rm(folder('a'), { recursive: true, force: true })
    took.killed = await takesOver(second, since)
    await repeat()
    await isStored(second)

    // Told to end.
    const third = await start('a', { standsBy: true })
    await load.more(100)
    since = performance.now()
    const ended = second.stop()
    took.stopped = await takesOver(third, since)
    expect(await ended).toBe(0)
    await repeat()
    await isStored(third)

    // Paused for longer than its lease; the other one has the folder of an earlier time.
    const fourth = await start('b', { standsBy: true })
    await load.more(100)
    since = performance.now()
    process.kill(third.pid, 'SIGSTOP')
    took.paused = await takesOver(fourth, since)
    await load.more(50)
    process.kill(third.pid, 'SIGCONT')
    expect(await third.ended).toBe(1)
    await repeat()
    await isStored(fourth)

    // PostgreSQL is away for longer than a lease.
    const fifth = await start('a', { standsBy: true })
    since = performance.now()
    way.cut()
    expect(await fourth.ended).toBe(1)
    expect(fourth.output()).toContain('PostgreSQL has not confirmed')
    took.givenUp = Math.round(performance.now() - since)
    await load.more(50)
    expect((await fetch(`${fifth.url}/health/ready`)).status).toBe(503)
    since = performance.now()
    way.mend()
    took.back = await takesOver(fifth, since)
    await repeat()
    await load.more(100)
    await load.stop()
    await isStored(fifth)

    const stored = await storedEvents(fifth, shop.source)
    expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
    expectInOrder(stored, load.acknowledged)
    await eventually('delivered', () => load.ids().every((id) => receiver.messageIds().has(id)), 120_000)
    await eventually('the repetitions are counted', async () => {
      const page = await fifth.api.ok('GET', `/${shop.source}/droppedEvents`)
      return (page.dropped_events as { count: number }[]).reduce((sum, { count }) => sum + count, 0) >= 8
    })
    const last = await start('b', { standsBy: true })
    expect(await last.stop()).toBe(0)

    // Told to end in the middle of taking over: it lets go of the lease, and the next one need not wait.
    const sixth = await start('b', { standsBy: true })
    const ending = fifth.stop()
    await eventually('the takeover begins', () => sixth.output().includes('takes over as the main process'))
    expect(await sixth.stop()).toBe(0)
    expect(await ending).toBe(0)
    const seventh = await start('a')
    expect(seventh.output()).not.toContain('stands by')
    expect(await seventh.stop()).toBe(0)
    console.info(`took over, ms: ${JSON.stringify(took)}; ${stored.length} events`)
  },
  // Eleven starts on a machine that may be busy.
  600_000,
)
