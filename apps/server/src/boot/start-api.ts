import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { createAuthorize } from '@tributary/api-kit'
import { apiServerOptions, createApi, type Handlers } from '@tributary/http'
import Fastify from 'fastify'
import { createClientIp } from '../http/client-ip.ts'
import { startProfileApi } from '../http/profile-api.ts'
import { startSyncApi } from '../http/sync-api.ts'
import { createReadYourWritesBarrier } from '../threads/read-your-writes.ts'
import { pageBuild, version } from './built.ts'
import type { ControlPlane } from './control-plane.ts'
import type { Stores } from './open-stores.ts'
import type { Roles } from './start-roles.ts'

const docsFolder = (): string => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Starts the API, with the APIs for profile keys and for orchestrators. */
export const startApi = async (
  stack: AsyncDisposableStack,
  { logger, metrics, engines }: Stores,
  { threads }: Roles,
  { control, collection, jobs }: ControlPlane,
  clientIp: ReturnType<typeof createClientIp>,
) => {
  // Makes delivery process due deliveries immediately, before its next check.
  const retry: Handlers['destinations']['retry'] = async (call) => {
    const answer = await control.handlers.destinations.retry(call)
    const { workspace: workspaceId, destination: destinationId } = call.params
    if (threads.delivery?.running()) await threads.delivery.ask('retry', { workspaceId, destinationId }).catch(() => {})
    return answer
  }
  const refreshOf = async (role: { running(): boolean; ask(name: 'refresh'): Promise<void> } | undefined) => {
    if (role?.running()) await role.ask('refresh')
  }
  const profileApi = await startProfileApi(engines.addresses.databaseUrl, { logger, metrics })
  stack.defer(() => profileApi.stop())
  const syncApi = await startSyncApi({ ...engines, jobs, logger, metrics })
  stack.defer(() => syncApi.stop())
  const fastify = Fastify(apiServerOptions)
  await createApi({
    fastify,
    handlers: { ...control.handlers, destinations: { ...control.handlers.destinations, retry } },
    authenticate: control.authenticate,
    authorize: createAuthorize({ db: engines.relational.db }),
    readYourWrites: createReadYourWritesBarrier(
      {
        collection: async () => void (await Promise.all([collection.keys.refresh(), collection.domains.refresh()])),
        pipeline: () => refreshOf(threads.pipeline),
        delivery: () => refreshOf(threads.delivery),
        profiles: () => refreshOf(threads.profiles),
        signals: () => refreshOf(threads.signals),
        'profile-api': async () => profileApi.refresh(),
        'sync-api': async () => syncApi.refresh(),
      },
      logger,
    ),
    logger,
    metrics,
    docsAssetsDir: docsFolder(),
    version,
    pageBuild: pageBuild(),
    clientIp,
  })
  await fastify.ready()
  stack.defer(() => fastify.close())
  const listener = (request: IncomingMessage, response: ServerResponse): void => fastify.routing(request, response)
  return { profileApi, syncApi, listener }
}
