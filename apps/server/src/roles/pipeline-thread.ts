// The pipeline role in a worker thread of its own: reads the requests log, writes event store and deliveries log.
import { createSchemaDirectory } from '@tributary/control'
import { systemClock } from '@tributary/kernel'
import { createPipeline } from '@tributary/pipeline'
import { type LogPosition, openLogWriter } from '@tributary/storage'
import { openRoleContext } from './role-context.ts'
import { hostRole, startDirectory, tell } from './thread-host.ts'

// Two directories listen on a connection each, and look for changes on others.
const context = openRoleContext('pipeline', { log: 'requests', maxConnections: 4 })
const { coordination, directory, eventStore, folders, journal, logger, metrics, reader, relational } = context
const schemas = createSchemaDirectory({ db: relational.db, pool: relational.pool, logger })
const deliveries = await openLogWriter({
  dir: folders.deliveries,
  inline: true,
  onCommit: () => tell({ kind: 'appended' }),
})

const pipeline = createPipeline({
  reader,
  journal,
  eventStore,
  deliveries,
  destinationsFor: (sourceId) => directory.destinationsFor(sourceId),
  schemaFor: (sourceId) => schemas.schemaFor(sourceId),
  coordination,
  clock: systemClock,
  logger,
  metrics,
  // The main thread starts a new thread, which repeats what this one left open.
  onFault: () => process.exit(1),
})

await hostRole({
  role: {
    async start() {
      await Promise.all([startDirectory(directory), startDirectory(schemas)])
      pipeline.start()
    },
    stop: () => pipeline.stop(),
    wake: () => pipeline.wake(),
  },
  answers: {
    refresh: () => Promise.all([directory.refresh(), schemas.refresh()]),
    idle: () => pipeline.idle(),
    state: () => pipeline.state(),
    positions: () => [...journal.positions()].map(([partition, offset]) => ({ partition, offset })),
    'deliveries-trim': (before) => deliveries.trim(before as readonly LogPosition[]),
  },
  metrics,
  async close() {
    await deliveries.close()
    await schemas.stop()
    await context.close()
  },
})
