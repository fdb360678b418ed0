import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What makes versions able to run together: of each migration that contracts, the oldest one that a process has to know to work with it, and of each
 * process that runs, which ones it knows.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table schema_migrations add column oldest text;
create table process_schemas (
  id text primary key,
  host text not null,
  version text not null,
  roles text[] not null,
  knows text[] not null,
  start_time timestamptz not null default now(),
  seen_time timestamptz not null
);
`.execute(db)
}
