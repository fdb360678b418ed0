import { readFileSync } from 'node:fs'
import { earlierMigrations, type Relational } from '@tributary/storage'
import type { OwnEventStore } from './event-store.ts'

/** Statements that remove everything that the last commit of version 0.1 did not have. */
const toEarlierSql = `
drop table if exists file_rounds, held_work, work_releases, kept_places, person_data_places, profile_consents, own_connector_versions, own_connectors, warehouse_states, warehouse_loads;
drop function if exists note_person_data_change, trait_members, trait_part, trait_holders, trait_within, trait_is_set, trait_decimal;
alter table set_password_tokens drop column if exists session_id;
alter table replays drop column if exists time_by, drop column if exists profile;
alter table privacy_requests drop column if exists files_time, drop column if exists files_error, drop column if exists files_round;
alter table write_keys drop column if exists api_key_id;
alter table parked_deliveries drop column if exists profile;
alter table destinations drop column if exists preset_version, drop column if exists secrets_to_enter;`

/**
 * Changes a database of this version to one of the last commit of version 0.1, except for some records of its
 * migrations. Rows stay.
 */
export const becomeEarlierDatabase = async (
  { pool }: Pick<Relational, 'pool'>,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<void> => {
  await pool.query(toEarlierSql)
  await pool.query('delete from schema_migrations')
  await pool.query('insert into schema_migrations (name) select unnest($1::text[])', [
    earlierMigrations.filter((name) => !without.includes(name)),
  ])
  // Version 0.1 already required some migrations of all processes.
  await pool.query(`update schema_migrations set oldest = name where name like '0096-%'`)
}

/** The file with the tables that the event store had at the last commit of version 0.1, as the engine showed them. */
export const earlierTablesFile = new URL('../../storage/src/event-store/earlier.tables.sql', import.meta.url)

/** Like `becomeEarlierDatabase`, for an event store with records of the versions up to `newest`. */
export const becomeEarlierEventStore = async (
  store: Pick<OwnEventStore, 'command'>,
  { newest = 13 }: { newest?: number } = {},
): Promise<void> => {
  const owner = /`owner` (UInt64 MATERIALIZED .*),$/m.exec(readFileSync(earlierTablesFile, 'utf8'))?.[1]
  for (const statement of [
    `alter table events modify column owner ${owner}`,
    'alter table events drop column if exists imported',
    'alter table sync_changes drop column if exists key_json',
    'drop table if exists sync_key_forms sync',
    'drop table if exists sync_same_keys sync',
    'truncate table schema_versions',
    `insert into schema_versions (version) select number + 1 from numbers(${newest})`,
  ])
    await store.command(statement)
}
