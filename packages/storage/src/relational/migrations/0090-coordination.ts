import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Counters and leases that processes share. Counters are forgotten soon, and may be at once: they are not written to the log of the
 * database. Leases are, and stay when they are over: an epoch must never be given again.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create unlogged table coordination_counters (
  key_hash bytea primary key,
  value bigint not null,
  expire_time timestamptz not null
);
create index coordination_counters_expire_time on coordination_counters (expire_time);
create table coordination_leases (
  name text primary key,
  holder text not null,
  epoch bigint not null,
  expire_time timestamptz not null
);
`.execute(db)
}
