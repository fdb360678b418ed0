// Runs the delivery role in its own worker thread: reads the log of deliveries, calls destinations.
import { createAccessTokens, createOwnDestinations } from '@tributary/configuration'
import {
  createEgressPolicy,
  createLoadedConnectors,
  createRequestClient,
  type RequestClient,
} from '@tributary/connector-kit'
import { listedDestinations, loadDescriptions } from '@tributary/connectors'
import { createDelivery } from '@tributary/delivery'
import { retryPolicies, systemClock } from '@tributary/kernel'
import { createProfileValues, followProfilePositions } from '@tributary/profiles'
import { realtimeTopics } from '@tributary/realtime'
import { isInTenure } from '@tributary/storage'
import { followDeletedUsers } from './deleted-users.ts'
import { deliveryMessages } from './messages/delivery.ts'
import { openDestinationCache, openRoleContext } from './role-context.ts'
import { hostRole, notifyReplaced, startCache } from './thread-host.ts'

const context = await openRoleContext('delivery', { log: 'stream', keepsChunks: true, maxConnections: 6 })
const { config, db, eventStore, journal, logger, metrics, reader, tenure } = context
const { normalizations } = await loadDescriptions()
const own = createOwnDestinations({ db, normalizations })
const connectors = createLoadedConnectors(listedDestinations, logger, own.find)
const destinationCache = openDestinationCache(context, connectors)
const started = startCache(destinationCache)
// Each producer has separate partitions in this log, so every delivering process may append to any of its partitions.
const outcomes = context.logs.isShared('outcomes')
  ? await context.logs.appender('outcomes')
  : await context.logs.writer('outcomes', { inline: true, onReplaced: notifyReplaced })

const client = createRequestClient({ egress: createEgressPolicy({ allow: config.egressAllow }), logger })

/**
 * Fences calls to destinations and appends to the log of outcomes, which do not check tenures themselves. A process
 * that was paused beyond its tenure no longer sends anything, and reports no failure: its successor repeats everything.
 */
const inTenure = <Given extends unknown[], Answer>(
  task: (...given: Given) => Promise<Answer>,
): ((...given: Given) => Promise<Answer>) =>
  tenure === undefined
    ? task
    : (...given) =>
        isInTenure(tenure) ? task(...given) : Promise.reject(new Error('Another process may deliver by now'))
const requestClient: Pick<RequestClient, 'request' | 'connect'> = {
  request: inTenure(client.request),
  connect: inTenure(client.connect),
}

const deletedUsers = followDeletedUsers(db)
const { forgotten } = deletedUsers
const positions = followProfilePositions(context.coordination)

const delivery = createDelivery({
  reader,
  journal,
  db,
  eventStore,
  outcomes: { appendGroup: inTenure(outcomes.appendGroup) },
  destinationCache: { get: (id) => destinationCache.get(id), ready: () => started },
  forgotten,
  profiles: createProfileValues({ db, positions, forgotten, clock: systemClock }),
  groups: context.groups,
  connectors,
  requestClient,
  accessTokens: createAccessTokens({
    db,
    secretBox: context.secretBox,
    requestClient,
    live: (channel, event, data) => context.coordination.publish(realtimeTopics.publish, { channel, event, data }),
    clock: systemClock,
    logger,
  }),
  clock: systemClock,
  logger,
  metrics,
  settings: {
    retry: { ...retryPolicies.delivery, maxElapsedMs: config.deliveryRetryMs },
    profileWaitMs: config.profileWaitMs,
  },
})

await hostRole({
  role: {
    async start() {
      await started
      await forgotten.refresh()
      await delivery.start(context.owned && [...context.owned])
    },
    stop: () => delivery.stop(),
    wake: () => delivery.wake(),
  },
  messages: deliveryMessages,
  answers: {
    refresh: () => destinationCache.refresh(),
    forget: async () => {
      await forgotten.refresh()
      await delivery.forget()
    },
    'take-up': ({ destinationId }) => delivery.takeUp(destinationId),
    retry: ({ destinationId }) => delivery.retryNow(destinationId),
    needed: () => delivery.minimumNeeded(),
    positions: () => [...journal.places()].map(([partition, place]) => ({ partition, ...place })),
    'outcomes-trim': async (before) => {
      if (!('trim' in outcomes)) throw new Error('The log of outcomes is trimmed by the main process')
      await outcomes.trim(before)
    },
  },
  metrics,
  async close() {
    positions.close()
    await deletedUsers.stop()
    await outcomes.close()
    await destinationCache.stop()
    await context.close()
  },
})
