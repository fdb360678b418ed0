// The delivery role in a worker thread of its own: reads the deliveries log, calls destinations.
import {
  createEgressPolicy,
  createLoadedConnectors,
  createRequestClient,
  type RequestClient,
} from '@tributary/connector-kit'
import { listedDestinations } from '@tributary/connectors'
import { createAccessTokens } from '@tributary/control/threads'
import { createDelivery } from '@tributary/delivery'
import { retryPolicies, systemClock } from '@tributary/kernel'
import { createForgottenUsers } from '@tributary/profiles'
import { realtimeTopics } from '@tributary/realtime'
import { isInTenure, type LogPosition } from '@tributary/storage'
import { z } from 'zod'
import { openDestinationCache, openRoleContext } from './role-context.ts'
import { hostRole, startCache, tellReplaced } from './thread-host.ts'

const context = await openRoleContext('delivery', { log: 'stream', keepsChunks: true, maxConnections: 6 })
const { config, db, eventStore, journal, logger, metrics, reader, tenure } = context
const connectors = createLoadedConnectors(listedDestinations, logger)
const destinationCache = openDestinationCache(context, connectors)
const started = startCache(destinationCache)
// Producers have partitions of their own there: whoever delivers appends to any.
const outcomes = context.logs.isShared('outcomes')
  ? await context.logs.appender('outcomes')
  : await context.logs.writer('outcomes', { inline: true, onReplaced: tellReplaced })

const client = createRequestClient({ egress: createEgressPolicy({ allow: config.egressAllow }), logger })

/**
 * Neither destinations nor the log of outcomes know of tenures. What was paused beyond its own sends nothing any more, and tells nobody that it failed: its
 * successor does all of it again.
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

/** How long deletions are remembered, ms: no event waits longer to be delivered. */
const forgottenMs = 90 * 24 * 3_600_000
/** How old what is remembered may be, ms. */
const forgottenAgeMs = 1000
const forgotten = createForgottenUsers({ db, keepMs: forgottenMs, clock: systemClock })
let refreshing: Promise<void> | undefined
const refreshForgotten = setInterval(() => {
  refreshing ??= forgotten
    .refresh()
    // Until the database is back, what was known holds.
    .catch(() => {})
    .finally(() => {
      refreshing = undefined
    })
}, forgottenAgeMs)

const delivery = createDelivery({
  reader,
  journal,
  db,
  eventStore,
  outcomes: { appendGroup: inTenure(outcomes.appendGroup) },
  destinationCache: { get: (id) => destinationCache.get(id), ready: () => started },
  forgotten,
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
  settings: { retry: { ...retryPolicies.delivery, maxElapsedMs: config.deliveryRetryMs } },
})

const destinationOf = (about: unknown): string => z.object({ destinationId: z.string() }).parse(about).destinationId

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
  answers: {
    refresh: () => destinationCache.refresh(),
    forget: async () => {
      // One that began before may know less, and must not be the last.
      await refreshing
      await forgotten.refresh()
      await delivery.forget()
    },
    'take-up': (about) => delivery.takeUp(destinationOf(about)),
    retry: (about) => delivery.retryNow(destinationOf(about)),
    idle: () => delivery.idle(),
    state: () => delivery.state(),
    needed: () => delivery.minimumNeeded(),
    positions: () => [...journal.places()].map(([partition, place]) => ({ partition, ...place })),
    'outcomes-trim': async (before) => {
      if (!('trim' in outcomes)) throw new Error('The log of outcomes is trimmed by the main process')
      await outcomes.trim(before as readonly LogPosition[])
    },
  },
  metrics,
  async close() {
    clearInterval(refreshForgotten)
    await refreshing
    await outcomes.close()
    await destinationCache.stop()
    await context.close()
  },
})
