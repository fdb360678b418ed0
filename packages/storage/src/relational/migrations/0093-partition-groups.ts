import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Into how many groups the partitions are cut, of which each has one owner at a time, and the processes that share them. Until now there was one.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table partition_groups (
  id boolean primary key default true check (id),
  groups integer not null check (groups > 0)
);
insert into partition_groups (groups) values (1);
create unlogged table processes (
  id text primary key,
  host text not null,
  version text not null,
  roles text[] not null,
  held text[] not null,
  start_time timestamptz not null default now(),
  seen_time timestamptz not null
);
`.execute(db)
}
