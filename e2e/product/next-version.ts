import { silentLogger } from '@tributary/kernel'
import {
  createClickHouseEventStore,
  eventStoreMigrations,
  type Migration,
  migrate,
  migrateEventStore,
  migrations,
  openRelational,
} from '@tributary/storage'

type Urls = { database: string; eventStore: string }

/** A migration of the next version, which adds a column to tables of all roles. */
const added: Migration = { name: '9001-next-version', kind: 'expand', up: async () => {} }
const addedTo = ['sources', 'destinations', 'processes', 'process_schemas', 'journals', 'coordination_leases']

/** A migration of the version after the next, which removes columns that the next version no longer uses. */
const taken: Migration = { name: '9002-version-after', kind: 'contract', oldest: added.name, up: async () => {} }

const open = ({ database }: Urls) => openRelational({ url: database, logger: silentLogger, maxConnections: 1 })

/** Brings both stores to the next version, like the start of its main process. */
export const expandAsNextVersion = async (urls: Urls): Promise<void> => {
  await using relational = open(urls)
  for (const table of addedTo)
    await relational.pool.query(`alter table ${table} add column of_next_version text not null default 'x'`)
  await migrate(relational.db, [...migrations, added])
  const store = createClickHouseEventStore({ url: urls.eventStore, logger: silentLogger })
  const statements = ['events', 'dropped_events', 'deliveries'].map(
    (table) => `alter table ${table} add column if not exists of_next_version String`,
  )
  await migrateEventStore(store, {
    migrations: [...eventStoreMigrations, { version: 9001, kind: 'expand', statements }],
  })
  await store.close()
}

/** Removes columns that processes of the present version use, like the main process of the version after the next. */
export const contractAsVersionAfter = async (urls: Urls): Promise<void> => {
  await using relational = open(urls)
  await migrate(relational.db, [...migrations, added, taken], { patienceMs: 0 })
}

/** Does the same as `contractAsVersionAfter`, but as if no process of the present version had been seen for a while. */
export const contractUnheard = async (urls: Urls): Promise<void> => {
  await using relational = open(urls)
  await relational.pool.query('insert into schema_migrations (name, oldest) values ($1, $2)', [taken.name, added.name])
}
