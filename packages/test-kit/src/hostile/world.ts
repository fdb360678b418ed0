import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { ApiClient } from '../api-client.ts'
import { adminCredentials, type Product } from '../product.ts'
import { createSource, createWebhook, createWorkspace, type TestSource } from '../workspace.ts'
import { startEndlessPostgres } from './raw.ts'

/** An attacker with everything that a signed-up customer has, and a victim who only sends events. */
export type HostileWorld = AsyncDisposable & {
  origin: string
  /** The attacker, signed in. */
  api: ApiClient
  workspace: string
  source: TestSource
  /** `users/{id}` of the attacker. */
  user: string
  /** A loopback port of a hostile PostgreSQL server. */
  postgresPort: number
  /** A loopback port of a server that accepts connections and never responds. */
  silentPort: number
  /** Write key of the victim. */
  victimKey: string
}

/** Starts a server that accepts connections and never responds. */
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
 * Signs in and creates both tenants in a running product, from its URL and an API client. With `webhook`, the victim's
 * events are sent to this URL.
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
