import { earlierMigrations, type Relational } from '@tributary/storage'
import type { OwnEventStore } from './event-store.ts'

/** Records in a database of this version what version 0.1 recorded when it had made the same schema, except for some migrations. */
export const becomeEarlierDatabase = async (
  { pool }: Pick<Relational, 'pool'>,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<void> => {
  await pool.query('delete from schema_migrations')
  await pool.query('insert into schema_migrations (name) select unnest($1::text[])', [
    earlierMigrations.filter((name) => !without.includes(name)),
  ])
  // Version 0.1 required some of its migrations of all processes, once they were used.
  await pool.query(`update schema_migrations set oldest = name where name like '0096-%'`)
}

/** As `becomeEarlierDatabase`, of an event store with versions up to `newest`. */
export const becomeEarlierEventStore = async (
  store: Pick<OwnEventStore, 'command'>,
  { newest = 16 }: { newest?: number } = {},
): Promise<void> => {
  await store.command('truncate table schema_versions')
  await store.command(`insert into schema_versions (version) select number + 1 from numbers(${newest})`)
}
