// The pipeline role in a worker thread of its own: reads the requests log, writes event store and deliveries log.
import { workerData } from 'node:worker_threads'
import { createDestinationDirectory } from '@tributary/control'
import { systemClock } from '@tributary/kernel'
import { createPipeline } from '@tributary/pipeline'
import type { LogPosition } from '@tributary/storage'
import {
  connectCoordination,
  createClickHouseEventStore,
  openJournal,
  openLogReader,
  openLogWriter,
  openRelational,
} from '@tributary/storage'
import { folders } from '../engines.ts'
import { installFault } from '../faults.ts'
import { createLogger } from '../logger.ts'
import { createRelayedMetrics } from '../metrics.ts'
import { createProductSecretBox } from '../secret-key.ts'
import type { ThreadData } from './thread-data.ts'
import { hostRole, startDirectory, tell, yieldToAcceptance } from './thread-host.ts'

const { addresses, config, secretKey, coordination: port } = workerData as ThreadData
const logger = createLogger(config.logLevel, { role: 'pipeline' })
const metrics = createRelayedMetrics()
const at = folders(config.dataDir)
installFault(config.fault)
yieldToAcceptance()

const coordination = connectCoordination(port)
const relational = openRelational({ url: addresses.databaseUrl, logger, maxConnections: 2 })
const eventStore = createClickHouseEventStore({ ...addresses.eventStore, logger })
const directory = createDestinationDirectory({
  db: relational.db,
  pool: relational.pool,
  secretBox: createProductSecretBox(secretKey),
  logger,
})
const reader = openLogReader({ dir: at.requests })
const journal = openJournal({ file: at.journal('pipeline') })
const deliveries = await openLogWriter({ dir: at.deliveries, inline: true, onCommit: () => tell({ kind: 'appended' }) })

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
    journal.close()
    reader.close()
    await directory.stop()
    await relational.close()
    await eventStore.close()
    await coordination.close()
  },
})
