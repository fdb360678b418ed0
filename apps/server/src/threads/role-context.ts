import { createDestinationCache, type DestinationCache } from '@tributary/configuration'
import type { LoadedConnectors } from '@tributary/connector-kit'
import {
  connectCoordination,
  connectionsOf,
  createClickHouseEventStore,
  keepPlaces,
  nameOfGroup,
  openJournal,
  openPostgresJournal,
  openRelational,
  partitionOf,
  partitionsOfGroup,
  readerOfOwned,
} from '@tributary/storage'
import { folders } from '../boot/engines.ts'
import { copiedConsumers } from '../boot/log-folder.ts'
import { openLogs } from '../boot/open-log.ts'
import { installFault } from '../operations/faults.ts'
import { createLogger } from '../operations/logger.ts'
import { createRelayedMetrics } from '../operations/relayed-metrics.ts'
import { createProductSecretBox } from '../secrets/secret-key.ts'
import { receiveThreadData } from './thread-data.ts'
import { notifyReplaced, yieldToAcceptance } from './thread-host.ts'
import { createHeldWork } from './watchdog/held-work.ts'

/**
 * Opens everything that a role needs in the calling thread: the engines at the addresses from the main thread, the log
 * that it reads, and its journal. Its `close` closes everything in the right order.
 */
export const openRoleContext = async (
  role: 'pipeline' | 'delivery' | 'profiles' | 'signals',
  reads: { log: 'requests' | 'stream'; keepsChunks?: true; maxConnections: number },
) => {
  const { addresses, config, secretKey, tenure, group, coordination: port } = await receiveThreadData()
  const consumer = group === undefined ? role : nameOfGroup(role, group)
  const logger = createLogger(config.logLevel, { role: consumer })
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
  const heldWork = createHeldWork({ db: relational.db, logger })
  await heldWork.load()
  const secretBox = createProductSecretBox(secretKey)
  const logs = openLogs(config)
  const whole = await logs.reader(reads.log, { keepsChunks: reads.keepsChunks, isPatient: true, isNoticed: true })
  const owned = group === undefined ? undefined : new Set(partitionsOfGroup(group, whole.partitions))
  const reader = owned === undefined ? whole : readerOfOwned(whole, owned)
  const file = at.journal(consumer.replace(' ', '-').replace('/', '-of-'))
  const journal =
    tenure === undefined
      ? openJournal({ file })
      : await openPostgresJournal({
          url: addresses.databaseUrl,
          consumer,
          lease: tenure,
          file,
          logger,
          onLost: notifyReplaced,
        })
  // Its position is copied to PostgreSQL, so that after the loss of the folder deliveries are not repeated.
  const isCopied = tenure === undefined && config.log.kind === 'kafka' && copiedConsumers.some((name) => name === role)
  const copy = isCopied ? keepPlaces(journal, { pool: relational.pool, consumer: role, logger }) : undefined
  return {
    config,
    logger,
    tenure,
    logs,
    // Gauges are reported for each group separately, because their sum has no meaning.
    metrics: createRelayedMetrics(group === undefined || group.groups === 1 ? {} : { group: String(group.group + 1) }),
    /** The partitions that the role processes; undefined for all. */
    owned,
    /** Number of groups that the partitions are divided into. */
    groups: group?.groups ?? 1,
    /** Whether this process owns the partition that has the workspace's data. */
    isMine: (workspaceId: string) => owned?.has(partitionOf(workspaceId, whole.partitions)) !== false,
    coordination,
    relational,
    db: relational.db,
    eventStore,
    secretBox,
    reader,
    journal,
    async close(): Promise<void> {
      await copy?.stop()
      journal.close()
      reader.close()
      await heldWork.stop()
      await relational.close()
      await eventStore.close()
      await coordination.close()
    },
  }
}

/**
 * Opens the destination cache of a role, with connectors if the role delivers. It is stopped before the context is
 * closed.
 */
export const openDestinationCache = (
  { relational: { db, pool }, secretBox, logger }: Awaited<ReturnType<typeof openRoleContext>>,
  connectors?: Pick<LoadedConnectors<unknown>, 'load' | 'keep'>,
): DestinationCache =>
  // The pipeline only needs the routes of events.
  createDestinationCache({ db, pool, secretBox, logger, ...(connectors === undefined ? {} : { connectors }) })
