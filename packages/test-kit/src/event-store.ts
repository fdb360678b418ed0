import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import {
  createChdbChild,
  createClickHouseEventStore,
  createSupervisor,
  type EventStore,
  migrateEventStore,
  type QueryOptions,
  systemOwner,
} from '@tributary/storage'

export type SharedEventStore = AsyncDisposable & {
  /** Address with credentials, without a database. */
  url: string
  /** The folder with its files. */
  dataDir: string
}

/** Adds a database to the address of an event store, as `CLICKHOUSE_URL` has it. */
export const withEventDatabase = (url: string, database: string): string => new URL(`/${database}`, url).href

/**
 * One embedded event store for a whole test run, with the product's durability, in a folder that is removed at the end.
 */
export const startSharedEventStore = async ({
  memoryBytes = 2 * 1024 ** 3,
}: {
  memoryBytes?: number
} = {}): Promise<SharedEventStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'))
  const supervisor = createSupervisor({ logger: silentLogger })
  const dataDir = join(folder, 'event-store')
  const dispose = async (): Promise<void> => {
    await supervisor.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const child = await createChdbChild({ dataDir, memoryBytes })
    await supervisor.add(child.spec)
    const url = child.url.replace('//', `//${child.user}:${child.password}@`)
    return { url, dataDir, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** An event store whose queries have the owner `systemOwner` by default. */
export type OwnEventStore = Omit<EventStore, 'query'> & {
  query<Row>(sql: string, params?: Record<string, unknown>, options?: Partial<QueryOptions>): Promise<Row[]>
}

/** Wraps a store for tests whose queries have no workspace. */
export const ownQueries = (store: EventStore): OwnEventStore => ({
  ...store,
  query: (sql, params, options) => store.query(sql, params, { owner: systemOwner, ...options }),
})

export type TestEventStore = OwnEventStore &
  AsyncDisposable & {
    database: string
    /** Address to give to a product under test, in the form of `CLICKHOUSE_URL`. */
    url: string
  }

/** An event store whose database is created on first use, because many tests of a file never need it. */
export const createTestEventStoreOnUse = (): OwnEventStore => {
  let made: Promise<TestEventStore> | undefined
  const use = (): Promise<TestEventStore> => {
    made ??= createTestEventStore()
    return made
  }
  return {
    insert: async (...given) => await (await use()).insert(...given),
    query: async (...given) => await (await use()).query(...given),
    queryBinary: async (...given) => await (await use()).queryBinary(...given),
    command: async (...given) => await (await use()).command(...given),
    ping: async () => await (await use()).ping(),
    close: async () => await (await made)?.close(),
  }
}

/** The migrated database that is copied for each test: migrating would take eight times the processor time. */
const templateDatabase = 'tributary_template'

/** Creates the template in the event store of a test run. */
export const makeEventTemplate = async (sharedUrl: string): Promise<void> => {
  const admin = createClickHouseEventStore({ url: sharedUrl, logger: silentLogger })
  const template = createClickHouseEventStore({
    url: withEventDatabase(sharedUrl, templateDatabase),
    logger: silentLogger,
  })
  try {
    await admin.command('create database {database:Identifier}', { database: templateDatabase })
    await migrateEventStore(template)
  } finally {
    await admin.close()
    await template.close()
  }
}

/** Creates the tables and version records of the template in an empty database. */
const copyTemplate = async (store: EventStore): Promise<void> => {
  const tables = await store.query<{ name: string }>(
    'select name from system.tables where database = {template:String}',
    { template: templateDatabase },
    { owner: systemOwner },
  )
  if (tables.length === 0) throw new Error('The event store of the run has no template')
  await Promise.all(
    tables.map(({ name }) =>
      store.command('create table {name:Identifier} as {template:Identifier}.{name:Identifier}', {
        name,
        template: templateDatabase,
      }),
    ),
  )
  await store.command('insert into schema_versions select * from {template:Identifier}.schema_versions', {
    template: templateDatabase,
  })
}

/**
 * Creates a database in the shared event store of the test run, as a copy of its template; in the store at `sharedUrl`,
 * the database is migrated instead. Use it with `await using`; the database is dropped at the end.
 */
export const createTestEventStore = async (sharedUrl?: string): Promise<TestEventStore> => {
  // Imported here, because this package is also used outside of test runs.
  const adminUrl = sharedUrl ?? (await import('vitest')).inject('eventStoreUrl')
  const database = `test_${randomBytes(8).toString('hex')}`
  const url = withEventDatabase(adminUrl, database)
  const administer = async (statement: string): Promise<void> => {
    const admin = createClickHouseEventStore({ url: adminUrl, logger: silentLogger })
    try {
      await admin.command(statement, { database })
    } finally {
      await admin.close()
    }
  }
  await administer('create database {database:Identifier}')
  const store = createClickHouseEventStore({ url, logger: silentLogger })
  await (sharedUrl === undefined ? copyTemplate(store) : migrateEventStore(store))
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    const end = closing ?? store.close().then(() => administer('drop database if exists {database:Identifier} sync'))
    closing = end
    return end
  }
  return { ...ownQueries(store), database, url, close, [Symbol.asyncDispose]: close }
}
