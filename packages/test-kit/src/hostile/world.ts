import type { ApiClient } from '../api-client.ts'
import { adminCredentials, type Product } from '../product.ts'
import { createSource, createWorkspace, type TestSource } from '../workspace.ts'
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
  /** Write key of the other one. */
  victimKey: string
}

/** Signs in and makes both tenants of a running product, of which its address and a client of its API are needed. */
export const createHostileWorld = async (product: Pick<Product, 'url' | 'api'>): Promise<HostileWorld> => {
  const { api } = product
  await api.login(adminCredentials)
  const { workspace } = await createWorkspace(api, 'Attacker')
  const victim = await createWorkspace(api, 'Victim')
  const postgres = await startEndlessPostgres()
  const { user } = (await api.ok('POST', '/users:login', adminCredentials)) as { user: { name: string } }
  return {
    origin: product.url,
    api,
    workspace,
    source: await createSource(api, workspace, 'Attacker', 'webhook'),
    user: user.name,
    postgresPort: postgres.port,
    victimKey: (await createSource(api, victim.workspace, 'Victim')).key,
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  }
}
