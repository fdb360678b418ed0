import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger, Metrics } from '@tributary/kernel'
import {
  type ChildState,
  type ClickHouseOptions,
  connectionsOf,
  createChdbChild,
  createClickHouseEventStore,
  createEmbeddedPostgres,
  createSupervisor,
  type EventStore,
  EventStoreUnavailable,
  installJobs,
  migrate,
  migrateEventStore,
  noteContraction,
  openRelational,
  type Relational,
  requireEventStore,
  requireEventStoreMigratable,
  requireNoEarlierVersion,
  requireSchema,
  type Supervisor,
  type TenureInfo,
} from '@tributary/storage'
import type { Config } from '../config/config.ts'

/** The addresses under which threads reach the engines. */
export type Addresses = {
  databaseUrl: string
  eventStore: Pick<ClickHouseOptions, 'url' | 'user' | 'password' | 'capacity'>
}

/** Folders in the data folder. */
export const folders = (dataDir: string) => ({
  postgres: join(dataDir, 'postgres'),
  eventStore: join(dataDir, 'event-store'),
  log: join(dataDir, 'log'),
  journal: (group: string) => join(dataDir, 'journal', `${group}.db`),
  blobs: join(dataDir, 'blobs'),
  uploads: join(dataDir, 'uploads'),
  outbox: join(dataDir, 'outbox'),
})

export type Engines = {
  addresses: Addresses
  relational: Relational
  eventStore: EventStore
  /** The engines that run as child processes of this process. */
  children(): ChildState[]
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL, or connects to a remote one, and migrates it to the newest schema, unless `beforeChange` rejects.
 * `supervisor` keeps the embedded one running.
 */
const startRelational = async (
  config: Config,
  supervisor: Supervisor,
  logger: Logger,
  { tenure, beforeChange }: { tenure?: TenureInfo | undefined; beforeChange(db: Relational['db']): Promise<unknown> },
): Promise<{ url: string; relational: Relational }> => {
  let url: string
  if (config.relational.kind === 'remote') url = config.relational.url
  else {
    const postgres = await createEmbeddedPostgres({ dir: folders(config.dataDir).postgres, logger })
    await supervisor.add(postgres.spec)
    url = postgres.url
  }
  {
    await using migrating = openRelational({ url, logger, maxConnections: 1, statementMs: 0 })
    await beforeChange(migrating.db)
    await migrate(migrating.db)
    await installJobs(migrating.pool)
  }
  // A user waits for the requests on these connections, so their statements must be fast or fail.
  const connections = tenure === undefined ? {} : connectionsOf(tenure)
  return { url, relational: openRelational({ url, logger, statementMs: 10_000, ...connections }) }
}

/** Opens PostgreSQL alone, for a command that needs no other engine. Its statements have no time limit. */
export const openRelationalStore = async (
  config: Config,
  deps: { logger: Logger; metrics: Metrics },
): Promise<AsyncDisposable & { relational: Relational }> => {
  const supervisor = createSupervisor(deps)
  try {
    const { url, relational: quick } = await startRelational(config, supervisor, deps.logger, {
      // Like a start of the product, checks that no earlier version uses the store before it is changed.
      beforeChange: requireNoEarlierVersion,
    })
    await quick.close()
    const relational = openRelational({ url, logger: deps.logger, maxConnections: 2, statementMs: 0 })
    return {
      relational,
      async [Symbol.asyncDispose]() {
        await relational.close()
        await supervisor.stop()
      },
    }
  } catch (error) {
    await supervisor.stop()
    throw error
  }
}

/**
 * Connects to engines that are all remote, for a process beside the main process, which migrates their schemas.
 *
 * @throws SchemaNotReady, SchemaTooNew, EventStoreNotReady, EventStoreTooNew
 */
export const connectToEngines = async (config: Config, { logger }: { logger: Logger }): Promise<Engines> => {
  if (config.relational.kind === 'embedded' || config.eventStore.kind === 'embedded')
    throw new Error('Engines beside the main process are by address')
  const addresses = { databaseUrl: config.relational.url, eventStore: { url: config.eventStore.url } }
  mkdirSync(join(config.dataDir, 'journal'), { recursive: true, mode: 0o700 })
  const relational = openRelational({ url: addresses.databaseUrl, logger, maxConnections: 4, statementMs: 10_000 })
  const eventStore = createClickHouseEventStore({ ...addresses.eventStore, logger })
  const stop = async (): Promise<void> => {
    await relational.close()
    await eventStore.close()
  }
  try {
    await requireSchema(relational.db)
    await requireEventStore(eventStore).catch((error: unknown) => {
      // While the event store is unavailable, its rows wait.
      if (!(error instanceof EventStoreUnavailable)) throw error
      logger.warn({ err: error }, 'the event store is away: its schema is not looked at')
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { addresses, relational, eventStore, children: () => [], stop }
}

/**
 * Starts the embedded engines, connects to the remote ones, and migrates both databases to the newest schema.
 * PostgreSQL and the event store start in parallel, since they do not depend on each other.
 */
export const startEngines = async (
  config: Config,
  deps: { logger: Logger; metrics: Metrics; tenure?: TenureInfo | undefined },
): Promise<Engines> => {
  const { logger, metrics } = deps
  const supervisor = createSupervisor({ logger, metrics })
  const at = folders(config.dataDir)
  mkdirSync(join(config.dataDir, 'journal'), { recursive: true, mode: 0o700 })

  const openEventStore = async (): Promise<{ address: Addresses['eventStore']; eventStore: EventStore }> => {
    let address: Addresses['eventStore']
    if (config.eventStore.kind === 'remote') address = { url: config.eventStore.url }
    else {
      // If there is too little processor time, accepting and delivering events have priority over storing them.
      const child = await createChdbChild({
        dataDir: at.eventStore,
        memoryBytes: config.eventStore.memoryBytes,
        nice: 16,
      })
      await supervisor.add(child.spec)
      address = { url: child.url, user: child.user, password: child.password, capacity: child.capacity }
    }
    const eventStore = createClickHouseEventStore({ ...address, logger })
    // Each store is checked before the other one is changed, so that both are migrated or neither is.
    await requireEventStoreMigratable(eventStore)
    return { address, eventStore }
  }

  const openingEventStore = openEventStore()
  const startingRelational = startRelational(config, supervisor, logger, {
    tenure: deps.tenure,
    beforeChange: () => openingEventStore,
  })
  const startEventStore = async () => {
    const opened = await openingEventStore
    // The processes that use the event store are listed in PostgreSQL.
    const contract = async (migration: { name: string; oldest: string }): Promise<void> =>
      await noteContraction((await startingRelational).relational, migration)
    await migrateEventStore(opened.eventStore, { contract })
    return opened
  }
  const [first, second] = await Promise.allSettled([startingRelational, startEventStore()])
  if (first.status === 'rejected' || second.status === 'rejected') {
    await supervisor.stop()
    throw first.status === 'rejected' ? first.reason : (second as PromiseRejectedResult).reason
  }
  const { url, relational } = first.value
  const { address, eventStore } = second.value
  return {
    addresses: { databaseUrl: url, eventStore: address },
    relational,
    eventStore,
    children: () => supervisor.state(),
    async stop() {
      await relational.close()
      await eventStore.close()
      await supervisor.stop()
    },
  }
}
