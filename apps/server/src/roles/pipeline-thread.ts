// The pipeline role in a worker thread of its own: reads the requests log, writes event store and deliveries log.
import { systemClock } from '@tributary/kernel'
import { createPipeline } from '@tributary/pipeline'
import { type LogPosition, openLogWriter } from '@tributary/storage'
import { openRoleContext } from './role-context.ts'
import { hostRole, startDirectory, tell } from './thread-host.ts'

const context = openRoleContext('pipeline', { log: 'requests', maxConnections: 2 })
const { coordination, directory, eventStore, folders, journal, logger, metrics, reader } = context
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
      await startDirectory(directory)
      pipeline.start()
    },
    stop: () => pipeline.stop(),
    wake: () => pipeline.wake(),
  },
  answers: {
    refresh: () => directory.refresh(),
    idle: () => pipeline.idle(),
    state: () => pipeline.state(),
    positions: () => [...journal.positions()].map(([partition, offset]) => ({ partition, offset })),
    'deliveries-trim': (before) => deliveries.trim(before as readonly LogPosition[]),
  },
  metrics,
  async close() {
    await deliveries.close()
    await context.close()
  },
})
