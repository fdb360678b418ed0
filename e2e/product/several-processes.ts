import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Product,
  startKafka,
  startProduct,
  startSharedEventStore,
  startSharedPostgres,
  withDatabase,
  withEventDatabase,
} from '@tributary/test-kit'

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

/**
 * All engines by address, so that what processing knows is in no folder, and how processes are started beside them, each with a port that its name keeps.
 */
export const startRemoteEngines = async (stack: AsyncDisposableStack) => {
  const root = await mkdtemp(join(tmpdir(), 'tributary-processes-'))
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
  const ports = new Map<string, string>()
  const portOf = async (name: string): Promise<string> => {
    const port = ports.get(name) ?? (await freePort())
    ports.set(name, port)
    return port
  }
  const start = async (
    name: string,
    more: { standsBy?: true; env?: Record<string, string> } = {},
  ): Promise<Product> => {
    const product = await startProduct({
      dataDir: folder(name),
      ...more,
      env: { ...env, PORT: await portOf(name), ...more.env },
    })
    stack.defer(() => product.kill())
    return product
  }
  return { way, folder, start }
}
