import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  commandEnvironment,
  type KafkaPeer,
  type Product,
  startKafka,
  startProduct,
  startSharedEventStore,
  startSharedPostgres,
  templateDatabase,
  withDatabase,
  withEventDatabase,
} from '@tributary/test-kit'

const secretKey = 'the-same-secret-key-in-each-process'

/**
 * Returns a port that is free now. Ports that Linux gives to outgoing connections are excluded, because a connection
 * could occupy the port before it is used.
 */
const freePort = async (): Promise<string> => {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return String(port)
  }
}

/**
 * A proxy to an engine. `cut` makes the engine unreachable until `mend`; `hold` delays all data in both directions, in
 * ms.
 */
export type Way = AsyncDisposable & { port: number; cut(): void; mend(): void; hold(ms: number): void }

const startWay = async (open: () => Socket): Promise<Way> => {
  const sockets = new Set<Socket>()
  let isCut = false
  let holdMs = 0
  const held = (): Transform => {
    let due = 0
    return new Transform({
      transform(piece, _encoding, done) {
        const now = performance.now()
        due = Math.max(due, now + holdMs)
        if (due <= now) return done(null, piece)
        // Later pieces arrive meanwhile, and are sent in their order.
        setTimeout(() => this.destroyed || this.push(piece), due - now)
        done()
      },
      // Timers can be off by up to a millisecond, so flushing waits a little longer.
      flush: (done) => void setTimeout(done, Math.max(0, due - performance.now()) + 10),
    })
  }
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const there = open()
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
      socket.pipe(held()).pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut(): void {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend(): void {
      isCut = false
    },
    hold(ms): void {
      holdMs = ms
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Starts a proxy to a PostgreSQL whose address is a socket without a host. Returns the proxy and the address that uses
 * it.
 */
const wayToPostgres = async (url: string): Promise<{ way: Way; url: string }> => {
  const { username, pathname, searchParams } = new URL(url.replace('@/', '@socket/'))
  const way = await startWay(() => connect(`${searchParams.get('host')}/.s.PGSQL.5432`))
  return { way, url: `postgres://${username}@127.0.0.1:${way.port}${pathname}` }
}

const wayToEventStore = async (url: string): Promise<{ way: Way; url: string }> => {
  const { port, hostname } = new URL(url)
  const way = await startWay(() => connect(Number(port), hostname))
  const by = new URL(url)
  by.port = String(way.port)
  return { way, url: by.href }
}

/**
 * Starts a Kafka that some processes reach through a proxy that can be cut, while other processes reach it directly.
 */
export const startKafkaWithWay = async (): Promise<KafkaPeer & { way: Way & { address: string } }> => {
  let port = 0
  const way = await startWay(() => connect(port, '127.0.0.1'))
  const address = `127.0.0.1:${way.port}`
  const kafka = await startKafka({ listeners: { APART: 'PLAINTEXT' }, advertised: { APART: address } })
  port = Number(kafka.listeners.APART?.split(':')[1])
  return {
    ...kafka,
    way: { ...way, address },
    async [Symbol.asyncDispose]() {
      await way[Symbol.asyncDispose]()
      await kafka[Symbol.asyncDispose]()
    },
  }
}

/**
 * Starts all engines remote, so that no folder has processing state. Returns functions that start processes with these
 * engines. The name of a process always gets the same port. The database has been migrated, unless `fromNothing` is set.
 */
export const startRemoteEngines = async (
  stack: AsyncDisposableStack,
  given: { kafka?: AsyncDisposable & { address: string }; fromNothing?: true } = {},
) => {
  const root = await mkdtemp(join(tmpdir(), 'tributary-processes-'))
  stack.defer(() => rm(root, { recursive: true, force: true }))
  const [kafka, postgres, eventStore] = await Promise.all([
    given.kafka ?? startKafka(),
    startSharedPostgres(),
    startSharedEventStore(),
  ])
  stack.use(kafka)
  stack.use(postgres)
  stack.use(eventStore)
  const urls = {
    database: withDatabase(postgres.url, given.fromNothing === true ? 'postgres' : templateDatabase),
    eventStore: withEventDatabase(eventStore.url, 'default'),
  }
  const database = await wayToPostgres(urls.database)
  const events = await wayToEventStore(urls.eventStore)
  for (const { way } of [database, events]) stack.use(way)
  const env = {
    KAFKA_BROKERS: kafka.address,
    DATABASE_URL: database.url,
    CLICKHOUSE_URL: events.url,
    TRIBUTARY_SECRET_KEY: secretKey,
  }
  const folder = (name: string): string => join(root, name)
  const ports = new Map<string, string>()
  const portOf = async (name: string): Promise<string> => {
    const port = ports.get(name) ?? (await freePort())
    ports.set(name, port)
    return port
  }
  const start = async (
    name: string,
    more: { standsBy?: true; movableClock?: true; command?: readonly string[]; env?: Record<string, string> } = {},
  ): Promise<Product> => {
    const product = await startProduct({
      dataDir: folder(name),
      ...more,
      env: { ...env, PORT: await portOf(name), ...more.env },
    })
    stack.defer(() => product.kill())
    return product
  }
  /** Runs a root command with these engines; returns its output. */
  const run = async (name: string, ...args: readonly string[]): Promise<string> => {
    const script = fileURLToPath(new URL(`../../scripts/${name}.ts`, import.meta.url))
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', script, ...args],
      { env: { ...process.env, ...commandEnvironment, ...env, TRIBUTARY_DATA_DIR: folder('commands') } },
    )
    return stdout
  }
  return { urls, way: database.way, wayToEventStore: events.way, folder, env, start, run }
}
