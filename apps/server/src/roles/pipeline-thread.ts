// The pipeline role in a worker thread of its own: reads the requests log, writes event store and deliveries log. It
// holds that log's writer, and sends the events of replays, too.
import {
  createAudienceSender,
  createReplayRunner,
  createSchemaCache,
  createSignalSender,
  createTelling,
  hidingErased,
} from '@tributary/control/threads'
import { systemClock } from '@tributary/kernel'
import { createPipeline, insertSizesFor } from '@tributary/pipeline'
import { type EventStore, isInTenure, type LogPosition, logPartitions, widestSpreads } from '@tributary/storage'
import { z } from 'zod'
import { createPartitionMates } from '../groups/partition-mates.ts'
import { createDiskWatch } from '../operations/disk.ts'
import { createSetAside } from '../set-aside/set-aside.ts'
import { refills } from '../spreads/refills.ts'
import { streamAnswers } from '../stream/remote-stream.ts'
import { openDestinationCache, openRoleContext } from './role-context.ts'
import { hostRole, startCache, tell, tellReplaced } from './thread-host.ts'

// Two configuration caches listen on a connection each, and look for changes on others.
const context = await openRoleContext('pipeline', { log: 'requests', maxConnections: 6 })
const destinationCache = openDestinationCache(context)
const { config, coordination, eventStore, journal, logger, logs, metrics, reader, relational, tenure } = context
const { owned, isMine } = context
const schemas = createSchemaCache({ db: relational.db, pool: relational.pool, logger })
const deliveries = await logs.writer('stream', {
  inline: true,
  owned: owned && [...owned],
  onCommit: () => tell({ kind: 'appended' }),
  onReplaced: tellReplaced,
})
const deliveriesReader = await logs.reader('stream', { isPatient: true })

/**
 * The event store does not know of tenures. What a process stores that was paused beyond its own carries the token under which its successor
 * stores the same, so it is dropped; this keeps the time short in which that can happen.
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
  deliveriesReader,
  destinationsFor: (sourceId) => destinationCache.destinationsFor(sourceId),
  needsWhole: (sourceId) => config.signals && destinationCache.feedsSignal(sourceId),
  schemaFor: (sourceId) => schemas.schemaFor(sourceId),
  mayOvertake: createPartitionMates({ relational, logger }),
  setAside,
  coordination,
  clock: systemClock,
  logger,
  metrics,
  // A server of ClickHouse is not ours to know; it has the memory of a server.
  ...(config.eventStore.kind === 'embedded' ? { settings: insertSizesFor(config.eventStore.memoryBytes) } : {}),
  // The main thread starts a new thread, which repeats what this one left open.
  onFault: () => process.exit(1),
})

const disk = createDiskWatch({ folder: config.dataDir, reserveBytes: config.diskReserveBytes })
/** How far processing may be behind before what can wait does, ms. */
const mostBehindMs = 3000
const mayAppend = (): boolean => disk.ok() && pipeline.behindMs() < mostBehindMs
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
const telling = createTelling({ db: relational.db, stream: deliveries })

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
  answers: {
    refresh: () => {
      replays.wake()
      return Promise.all([destinationCache.refresh(), schemas.refresh()])
    },
    'tell-destinations': (about) => telling(z.object({ requestId: z.string() }).parse(about).requestId),
    ...streamAnswers(deliveries),
    refill: refills(pipeline.refill),
    idle: () => pipeline.idle(),
    state: () => pipeline.state(),
    // Without those of second readings.
    positions: () =>
      [...journal.places()]
        .filter(([partition]) => partition < logPartitions)
        .map(([partition, place]) => ({ partition, ...place })),
    'stream-trim': async (before) => {
      await deliveries.trim(before as readonly LogPosition[])
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
