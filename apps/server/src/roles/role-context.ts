import type { LoadedConnectors } from '@tributary/connector-kit'
import { createDestinationCache } from '@tributary/control/threads'
import {
  connectCoordination,
  connectionsOf,
  createClickHouseEventStore,
  openJournal,
  openPostgresJournal,
  openRelational,
} from '@tributary/storage'
import { folders } from '../engines.ts'
import { openLogs } from '../open-log.ts'
import { installFault } from '../operations/faults.ts'
import { createLogger } from '../operations/logger.ts'
import { createRelayedMetrics } from '../operations/relayed-metrics.ts'
import { createProductSecretBox } from '../secrets/secret-key.ts'
import { receiveThreadData } from './thread-data.ts'
import { tellReplaced, yieldToAcceptance } from './thread-host.ts'

/**
 * Opens what a role works with in the calling thread: the engines at the addresses that the main thread handed over,
 * the log it reads and its journal. `close` closes them all, in the order of their use.
 */
export const openRoleContext = async (
  role: 'pipeline' | 'delivery' | 'profiles' | 'signals',
  reads: { log: 'requests' | 'stream'; keepsChunks?: true; maxConnections: number },
) => {
  const { addresses, config, secretKey, tenure, coordination: port } = await receiveThreadData()
  const logger = createLogger(config.logLevel, { role })
  const at = folders(config.dataDir)
  installFault(config.fault)
  yieldToAcceptance()

  const coordination = connectCoordination(port)
  const relational = openRelational({
    url: addresses.databaseUrl,
    logger,
    maxConnections: reads.maxConnections,
    ...(tenure === undefined ? {} : connectionsOf(tenure)),
  })
  const eventStore = createClickHouseEventStore({ ...addresses.eventStore, logger })
  const secretBox = createProductSecretBox(secretKey)
  const logs = openLogs(config)
  const reader = await logs.reader(reads.log, { keepsChunks: reads.keepsChunks, isPatient: true })
  const file = at.journal(role)
  const journal =
    tenure === undefined
      ? openJournal({ file })
      : await openPostgresJournal({
          url: addresses.databaseUrl,
          consumer: role,
          lease: tenure,
          file,
          logger,
          onLost: tellReplaced,
        })
  return {
    config,
    logger,
    tenure,
    logs,
    metrics: createRelayedMetrics(),
    coordination,
    relational,
    db: relational.db,
    eventStore,
    secretBox,
    reader,
    journal,
    async close(): Promise<void> {
      journal.close()
      reader.close()
      await relational.close()
      await eventStore.close()
      await coordination.close()
    },
  }
}

/**
 * The destinations' directory of a role, with the connectors for one that delivers; it is stopped before the context is
 * closed.
 */
export const openDestinationCache = (
  { relational: { db, pool }, secretBox, logger }: Awaited<ReturnType<typeof openRoleContext>>,
  connectors?: Pick<LoadedConnectors<unknown>, 'load'>,
) =>
  // The pipeline asks for the ways of events only.
  createDestinationCache({ db, pool, secretBox, logger, ...(connectors === undefined ? {} : { connectors }) })
