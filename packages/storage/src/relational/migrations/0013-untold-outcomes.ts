import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Parked deliveries of producers that learn what becomes of their rows: while `tells` is true, a dead one has not been
 * told yet.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table parked_deliveries add column tells boolean not null default false;
create index parked_deliveries_untold on parked_deliveries (log_partition, log_offset) where tells and state = 'dead';
`.execute(db)
}
