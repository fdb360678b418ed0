// The delivery role in a worker thread of its own: reads the deliveries log, calls destinations.
import { workerData } from 'node:worker_threads'
import { createEgressPolicy, createRequestClient } from '@tributary/connector-kit'
import { createDestinationDirectory } from '@tributary/control'
import { createDelivery } from '@tributary/delivery'
import { systemClock } from '@tributary/kernel'
import {
  connectCoordination,
  createClickHouseEventStore,
  openJournal,
  openLogReader,
  openRelational,
} from '@tributary/storage'
import { destinationDefinitions } from '../catalog.ts'
import { folders } from '../engines.ts'
import { installFault } from '../faults.ts'
import { createLogger } from '../logger.ts'
import { createRelayedMetrics } from '../metrics.ts'
import { createProductSecretBox } from '../secret-key.ts'
import type { ThreadData } from './thread-data.ts'
import { hostRole, startDirectory, yieldToAcceptance } from './thread-host.ts'

const { addresses, config, secretKey, coordination: port } = workerData as ThreadData
const logger = createLogger(config.logLevel, { role: 'delivery' })
const metrics = createRelayedMetrics()
const at = folders(config.dataDir)
installFault(config.fault)
yieldToAcceptance()

const coordination = connectCoordination(port)
const relational = openRelational({ url: addresses.databaseUrl, logger, maxConnections: 6 })
const eventStore = createClickHouseEventStore({ ...addresses.eventStore, logger })
const directory = createDestinationDirectory({
  db: relational.db,
  pool: relational.pool,
  secretBox: createProductSecretBox(secretKey),
  logger,
})
const reader = openLogReader({ dir: at.deliveries })
const journal = openJournal({ file: at.journal('delivery') })

const started = startDirectory(directory)

const delivery = createDelivery({
  reader,
  journal,
  db: relational.db,
  eventStore,
  directory: { get: (id) => directory.get(id), ready: () => started },
  connectors: destinationDefinitions,
  requestClient: createRequestClient({ egress: createEgressPolicy({ allow: config.egressAllow }), logger }),
  clock: systemClock,
  logger,
  metrics,
  settings: { retry: { baseMs: 1000, capMs: 10 * 60_000, maxElapsedMs: config.deliveryRetryMs } },
})

await hostRole({
  role: {
    async start() {
      await started
      await delivery.start()
    },
    stop: () => delivery.stop(),
    wake: () => delivery.wake(),
  },
  answers: {
    refresh: () => directory.refresh(),
    retry: (destinationId) => delivery.retryNow(String(destinationId)),
    idle: () => delivery.idle(),
    state: () => delivery.state(),
    needed: () => delivery.minimumNeeded(),
  },
  metrics,
  async close() {
    journal.close()
    reader.close()
    await directory.stop()
    await relational.close()
    await eventStore.close()
    await coordination.close()
  },
})
