// Runs the profiles role in its own worker thread: reads the stream, writes identities into PostgreSQL, and copies them
// into the event store.

import { hidingErased } from '@tributary/api-kit'
import { changesTopic, createComputedTraitWorker, createIncrementalEvaluation } from '@tributary/audiences'
import { createComputedTraitCache, createIdentityCache } from '@tributary/configuration'
import { systemClock } from '@tributary/kernel'
import { followStoredPositions, watchPipelineLag } from '@tributary/pipeline'
import {
  createOwnersProjection,
  createProfileChanges,
  createProfileLedger,
  createProfiles,
  defaultRules,
  publishProfilePositions,
  rulesOf,
} from '@tributary/profiles'
import { storedForm } from '@tributary/replays'
import { createCut, createReadingProgress, widestSpread, widestSpreads } from '@tributary/storage'
import { profilesMessages } from './messages/profiles.ts'
import { openRoleContext } from './role-context.ts'
import { hostRole, startCache } from './thread-host.ts'

// Under load profiles fall behind and catch up later, since storing and delivering have priority. The
// configuration caches share one connection, on which they listen, and one poll. They read changes on others.
const context = await openRoleContext('profiles', { log: 'stream', maxConnections: 8 })
const { coordination, db, eventStore, journal, logger, logs, metrics, reader, relational } = context
const requests = await logs.reader('requests', { isPatient: true })
const stored = followStoredPositions(coordination)
const lag = watchPipelineLag({ requests, stored, coordination })
const identity = createIdentityCache({ db, pool: relational.pool, logger, make: rulesOf })
const computed = createComputedTraitCache({ db, pool: relational.pool, logger })

// Both the events and the computed traits change profiles.
const changes = createProfileChanges()

const profiles = createProfiles({
  db,
  changes,
  isPipelineBehind: lag.isBehind,
  rulesFor: (workspaceId) => identity.find(workspaceId) ?? defaultRules,
  computed,
  reader,
  journal,
  history: {
    eventStore,
    form: storedForm,
    spreads: () => widestSpreads(relational.pool),
    cut: createCut({ stream: reader, requests, whenStored: stored.whenStored }),
  },
  logger,
  metrics,
  // A delay of 250 ms is acceptable: it makes transactions fewer, and users see a profile only seconds after its event.
  // At most one batch is read ahead.
  settings: { lingerMs: 250, aheadBytes: 2 * 1024 * 1024 },
})

// Delivery and signals wait for these positions and keep values until their profile changes, if they use profiles.
const stopPublishing = publishProfilePositions(coordination, journal, changes)

const progress = createReadingProgress({
  eventStore,
  journal,
  partitions: reader.partitions,
  widestSpread: (workspaceId) => widestSpread(relational.pool, workspaceId),
})
const owners = createOwnersProjection({ db, eventStore, logger })
const computing = createComputedTraitWorker({
  db,
  eventStore,
  cache: computed,
  changes,
  ends: () => requests.ends(),
  isStored: stored.isStored,
  bringOwners: () => owners.catchUp(),
  clock: systemClock,
  logger,
  metrics,
})
const audiences = createIncrementalEvaluation({
  db,
  eventStore: hidingErased(eventStore, db),
  profileLedger: createProfileLedger(db),
  clock: systemClock,
  storing: { isStored: stored.isStored, isBehind: lag.isBehind },
  onChanged: () => coordination.publish(changesTopic, null),
  logger,
})

await hostRole({
  role: {
    async start() {
      await startCache(identity)
      await startCache(computed)
      profiles.give(Array.from({ length: reader.partitions }, (_, partition) => partition))
      owners.start()
      computing.start()
      audiences.start()
    },
    async stop() {
      // Otherwise, calls that wait for the pipeline would continue after the end of the thread.
      stored.close()
      lag.close()
      await Promise.all([profiles.stop(), computing.stop(), audiences.stop()])
      // Until here, others that stop wait for the last positions.
      stopPublishing()
      await owners.stop()
    },
    wake: () => reader.notice(),
  },
  messages: profilesMessages,
  answers: {
    needed: () => profiles.needed(),
    progress: (workspaceId) => progress(workspaceId),
    refresh: () => identity.refresh(),
  },
  metrics,
  async close() {
    requests.close()
    await Promise.all([identity.stop(), computed.stop()])
    await context.close()
  },
})
