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
}

/** The same event store's address with a database: the form of `CLICKHOUSE_URL`. */
export const withEventDatabase = (url: string, database: string): string => new URL(`/${database}`, url).href

/** One embedded event store for a whole test run, with the product's durability, in a folder that is removed at the end. */
export const startSharedEventStore = async ({
  memoryBytes = 2 * 1024 ** 3,
}: {
  memoryBytes?: number
} = {}): Promise<SharedEventStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'))
  const supervisor = createSupervisor({ logger: silentLogger })
  const dispose = async (): Promise<void> => {
    await supervisor.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const child = await createChdbChild({ dataDir: join(folder, 'event-store'), memoryBytes })
    await supervisor.add(child.spec)
    return { url: child.url.replace('//', `//${child.user}:${child.password}@`), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** An event store whose queries are the product's own unless they say whose they are. */
export type OwnEventStore = Omit<EventStore, 'query'> & {
  query<Row>(sql: string, params?: Record<string, unknown>, options?: Partial<QueryOptions>): Promise<Row[]>
}

/** The same store for tests that have no workspace to ask for. */
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

/** An event store that is made, with a database of its own, by the first who uses it: many tests of a file never do. */
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

/**
 * A fresh, migrated database of its own in the run's shared event store (`sharedUrl` when called outside of a test run).
 * Use it with `await using`; the database is dropped at the end.
 */
export const createTestEventStore = async (sharedUrl?: string): Promise<TestEventStore> => {
  // Imported here: this package is used outside of test runs, too.
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
  await migrateEventStore(store)
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    const end = closing ?? store.close().then(() => administer('drop database if exists {database:Identifier} sync'))
    closing = end
    return end
  }
  return { ...ownQueries(store), database, url, close, [Symbol.asyncDispose]: close }
}
