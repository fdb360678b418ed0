import type { LoadedConnectors } from '@tributary/connector-kit'
import { createDestinationCache } from '@tributary/control/threads'
import {
  connectCoordination,
  connectionsOf,
  createClickHouseEventStore,
  nameOfGroup,
  openJournal,
  openPostgresJournal,
  openRelational,
  partitionOf,
  partitionsOfGroup,
  readerOfOwned,
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
  const secretBox = createProductSecretBox(secretKey)
  const logs = openLogs(config)
  const whole = await logs.reader(reads.log, { keepsChunks: reads.keepsChunks, isPatient: true })
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
          onLost: tellReplaced,
        })
  return {
    config,
    logger,
    tenure,
    logs,
    // Of each group beside the others: there is no sum of what is of a moment.
    metrics: createRelayedMetrics(group === undefined || group.groups === 1 ? {} : { group: String(group.group + 1) }),
    /** The partitions that it works on; undefined for all. */
    owned,
    /** Into how many groups the partitions are cut. */
    groups: group?.groups ?? 1,
    /** Whether what is of a workspace is in them. */
    isMine: (workspaceId: string) => owned?.has(partitionOf(workspaceId, whole.partitions)) !== false,
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
