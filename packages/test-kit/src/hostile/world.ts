import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { ApiClient } from '../api-client.ts'
import { adminCredentials, type Product } from '../product.ts'
import { createSource, createWebhook, createWorkspace, type TestSource } from '../workspace.ts'
import { startEndlessPostgres } from './raw.ts'

/** One who attacks, with all that a signed-up customer has, and another who only wants to send events. */
export type HostileWorld = AsyncDisposable & {
  origin: string
  /** The attacker, signed in. */
  api: ApiClient
  workspace: string
  source: TestSource
  /** `users/{id}` of the attacker. */
  user: string
  /** A port of loopback where a hostile PostgreSQL server listens. */
  postgresPort: number
  /** A port of loopback where a server takes connections and never answers. */
  silentPort: number
  /** Write key of the other one. */
  victimKey: string
}

/** A server that takes connections and never answers. */
const startSilent = async (): Promise<AsyncDisposable & { port: number }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * Signs in and makes both tenants of a running product, of which its address and a client of its API are needed. With `webhook` the other
 * tenant's events go on to this address.
 */
export const createHostileWorld = async (
  product: Pick<Product, 'url' | 'api'>,
  webhook?: string,
): Promise<HostileWorld> => {
  const { api } = product
  await api.login(adminCredentials)
  const { workspace } = await createWorkspace(api, 'Attacker')
  const victim = await createWorkspace(api, 'Victim')
  const victimSource = await createSource(api, victim.workspace, 'Victim')
  if (webhook !== undefined) await createWebhook(api, victim.workspace, victimSource.source, { url: webhook })
  const postgres = await startEndlessPostgres()
  const silent = await startSilent()
  const { user } = (await api.ok('POST', '/users:login', adminCredentials)) as { user: { name: string } }
  return {
    origin: product.url,
    api,
    workspace,
    source: await createSource(api, workspace, 'Attacker', 'webhook'),
    user: user.name,
    postgresPort: postgres.port,
    silentPort: silent.port,
    victimKey: victimSource.key,
    async [Symbol.asyncDispose]() {
      await postgres[Symbol.asyncDispose]()
      await silent[Symbol.asyncDispose]()
    },
  }
}
