// Runs the pipeline role in its own worker thread: reads the requests log, writes the event store and the deliveries
// log. It has the writer of the deliveries log, and so also sends the events of replays.

import { hidingErased } from '@tributary/api-kit'
import { changesTopic, createAudienceSender } from '@tributary/audiences'
import { createSchemaCache } from '@tributary/configuration'
import { systemClock } from '@tributary/kernel'
import { createPipeline, insertSizesFor } from '@tributary/pipeline'
import { createDestinationNotices } from '@tributary/privacy'
import { createReplayRunner } from '@tributary/replays'
import { conversionsTopic, createSignalSender } from '@tributary/signals'
import { type EventStore, isInTenure, logPartitions, widestSpreads } from '@tributary/storage'
import { createPartitionMates } from '../cluster/partition-ownership/partition-mates.ts'
import { refills } from '../cluster/spreads/refills.ts'
import { streamAnswers } from '../cluster/stream/remote-stream.ts'
import { createDiskWatch } from '../operations/disk.ts'
import { createSetAside } from '../operations/set-aside/set-aside.ts'
import { pipelineMessages } from './messages/pipeline.ts'
import { openDestinationCache, openRoleContext } from './role-context.ts'
import { hostRole, notifyReplaced, startCache, tell } from './thread-host.ts'

// The configuration caches share one connection, on which they listen, and one poll. They read changes on others.
const context = await openRoleContext('pipeline', { log: 'requests', maxConnections: 6 })
const destinationCache = openDestinationCache(context)
const { config, coordination, eventStore, journal, logger, logs, metrics, reader, relational, tenure } = context
const { owned, isMine } = context
const schemas = createSchemaCache({ db: relational.db, pool: relational.pool, logger })
const deliveries = await logs.writer('stream', {
  inline: true,
  owned: owned && [...owned],
  onCommit: () => tell({ kind: 'appended' }),
  onReplaced: notifyReplaced,
})
const deliveriesReader = await logs.reader('stream', { isPatient: true })

/**
 * Rejects inserts beyond the tenure, which the event store does not check. A process that was paused beyond its tenure
 * inserts with the token of its successor, so the event store drops its rows. This check shortens the time in which
 * that can happen.
 */
const fenced: EventStore = {
  ...eventStore,
  insert(table, rows, options) {
    if (tenure !== undefined && !isInTenure(tenure))
      return Promise.reject(new Error('Another process may be the main process by now'))
    return eventStore.insert(table, rows, options)
  },
}

const setAside = createSetAside({ db: relational.db, clock: systemClock, logger })

const pipeline = createPipeline({
  reader,
  ...(owned === undefined ? {} : { owned }),
  widestSpreads: () => widestSpreads(relational.pool),
  journal,
  eventStore: tenure === undefined ? eventStore : fenced,
  deliveries,
  destinationsFor: (sourceId) => destinationCache.destinationsFor(sourceId),
  needsWhole: (sourceId) => config.signals && destinationCache.feedsSignal(sourceId),
  schemaFor: (sourceId) => schemas.schemaFor(sourceId),
  mayOvertake: createPartitionMates({ relational, logger }),
  setAside,
  coordination,
  clock: systemClock,
  logger,
  metrics,
  // The memory of a remote ClickHouse server is unknown, so the default sizes are used.
  ...(config.eventStore.kind === 'embedded' ? { settings: insertSizesFor(config.eventStore.memoryBytes) } : {}),
  // The main thread then starts a new thread, which repeats the unfinished work of this one.
  onFault: () => process.exit(1),
})

const disk = createDiskWatch({ folder: config.dataDir, reserveBytes: config.diskReserveBytes })
/** Maximum delay of processing in ms. Above it, replays and other work that can be postponed wait. */
const maxBehindMs = 3000
const mayAppend = (): boolean => disk.ok() && pipeline.behindMs() < maxBehindMs
const replays = createReplayRunner({
  db: relational.db,
  eventStore: hidingErased(eventStore, relational.db),
  deliveries,
  reader: deliveriesReader,
  isMine,
  mayAppend,
  onDue: (due) => tell({ kind: 'due', due }),
  clock: systemClock,
  logger,
  metrics,
})

const audiences = createAudienceSender({
  db: relational.db,
  stream: deliveries,
  isMine,
  mayAppend,
  logger,
})
const signals = config.signals
  ? createSignalSender({ db: relational.db, stream: deliveries, isMine, mayAppend: () => disk.ok(), logger })
  : undefined
coordination.subscribe(changesTopic, audiences.wake)
coordination.subscribe(conversionsTopic, () => signals?.wake())
const notifyDestinations = createDestinationNotices({ db: relational.db, stream: deliveries })

await hostRole({
  role: {
    async start() {
      await Promise.all([startCache(destinationCache), startCache(schemas), setAside.load()])
      await disk.check()
      pipeline.start()
      replays.start()
      audiences.start()
      signals?.start()
    },
    async stop() {
      await Promise.all([pipeline.stop(), replays.stop(), audiences.stop(), signals?.stop()])
    },
    wake: () => pipeline.wake(),
  },
  messages: pipelineMessages,
  answers: {
    refresh: async () => {
      replays.wake()
      await Promise.all([destinationCache.refresh(), schemas.refresh()])
    },
    'tell-destinations': ({ requestId }) => notifyDestinations(requestId),
    ...streamAnswers(deliveries),
    refill: refills(pipeline.refill),
    waited: () => pipeline.waitedMs(),
    // Leaves out the positions of second readings of partitions.
    positions: () =>
      [...journal.places()]
        .filter(([partition]) => partition < logPartitions)
        .map(([partition, place]) => ({ partition, ...place })),
    'stream-trim': async (before) => {
      await deliveries.trim(before)
      return (await deliveries.stats()).bytes
    },
  },
  metrics,
  async close() {
    disk.stop()
    deliveriesReader.close()
    await deliveries.close()
    await schemas.stop()
    await destinationCache.stop()
    await context.close()
  },
})
