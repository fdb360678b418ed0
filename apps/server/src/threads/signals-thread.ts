// Runs the signals role in its own worker thread: reads the stream, creates conversions, and writes them into
// PostgreSQL. The pipeline's thread reads them there, and appends them to the stream.

import { createLoadedConnectors } from '@tributary/connector-kit'
import { listedDestinations } from '@tributary/connectors'
import { systemClock } from '@tributary/kernel'
import { followStoredPositions } from '@tributary/pipeline'
import { createProfileValues, followProfilePositions } from '@tributary/profiles'
import { storedForm } from '@tributary/replays'
import {
  conversionsTopic,
  createSignalAudienceFollower,
  createSignalCache,
  createSignalConsumer,
  removeExpired,
} from '@tributary/signals'
import { createCut, widestSpreads } from '@tributary/storage'
import { followDeletedUsers } from './deleted-users.ts'
import { signalsMessages } from './messages/signals.ts'
import { openRoleContext } from './role-context.ts'
import { hostRole, startCache } from './thread-host.ts'

const context = await openRoleContext('signals', { log: 'stream', maxConnections: 6 })
const { config, coordination, db, eventStore, journal, logger, logs, metrics, reader, relational } = context
const requests = await logs.reader('requests', { isPatient: true })
const stored = followStoredPositions(coordination)
const cache = createSignalCache({
  db,
  pool: relational.pool,
  logger,
  connectors: createLoadedConnectors(listedDestinations, logger),
})
const deletedUsers = followDeletedUsers(db)
const { forgotten } = deletedUsers
const positions = followProfilePositions(coordination)
const profiles = createProfileValues({ db, positions, forgotten, clock: systemClock })
const onConversions = (): void => coordination.publish(conversionsTopic, null)
const deps = { db, clock: systemClock, cache, logger, profiles, onConversions }

const signals = createSignalConsumer({
  ...deps,
  profileWaitMs: config.profileWaitMs,
  areProfilesSilent: () => positions.isSilent(),
  isForgotten: (workspaceId, event) => forgotten.isOf(workspaceId, event),
  reader,
  journal,
  history: {
    eventStore,
    form: storedForm,
    spreads: () => widestSpreads(relational.pool),
    cut: createCut({ stream: reader, requests, whenStored: stored.whenStored }),
  },
  metrics,
  // A delay of 200 ms is acceptable: it makes transactions fewer, and users see a conversion only seconds after its
  // event.
  settings: { lingerMs: 200 },
})
const audiences = createSignalAudienceFollower(deps)

const hourMs = 3_600_000
const sweep = setInterval(() => {
  removeExpired(db, systemClock()).catch((error: unknown) =>
    logger.warn({ err: error }, 'Clicks and conversions that are over cannot be removed now'),
  )
}, hourMs)

/** Starts a new consumer at the end of the stream, since earlier events must not become conversions. */
const beginAtEnd = async (): Promise<void> => {
  const known = new Set(journal.places().keys())
  const ends = await reader.ends()
  const fresh = ends.flatMap((end, partition) => (known.has(partition) ? [] : [[partition, end] as const]))
  if (fresh.length > 0) await journal.commit(new Map(fresh), new Map(fresh.map(([partition]) => [partition, ''])))
}

await hostRole({
  role: {
    async start() {
      await startCache(cache)
      await forgotten.refresh()
      await beginAtEnd()
      signals.give(Array.from({ length: reader.partitions }, (_, partition) => partition))
      audiences.start()
    },
    async stop() {
      clearInterval(sweep)
      // Otherwise, calls that wait for the pipeline would continue after the end of the thread.
      stored.close()
      await Promise.all([signals.stop(), audiences.stop()])
    },
    wake: () => reader.notice(),
  },
  messages: signalsMessages,
  answers: {
    needed: () => signals.needed(),
    refresh: () => cache.refresh(),
    forget: async () => {
      await forgotten.refresh()
      // Batches that began earlier have not read the deletion.
      await signals.settled()
    },
  },
  metrics,
  async close() {
    requests.close()
    positions.close()
    await deletedUsers.stop()
    await cache.stop()
    await context.close()
  },
})
