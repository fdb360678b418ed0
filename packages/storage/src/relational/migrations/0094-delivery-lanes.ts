import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What of parked deliveries goes behind live events, and which records a range is of: of live events and of the others each has its own.
 * Ranges of before are of both. Due ones are looked up by lane, or a million of one would stand before the other's.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table parked_deliveries
  add column bulk boolean not null default false,
  add column holds text not null default '' check (holds in ('', 'live', 'bulk'));
alter table parked_deliveries drop constraint parked_deliveries_key;
alter table parked_deliveries add constraint parked_deliveries_key
  unique (destination_id, log_partition, log_offset, event_indexes_hash, holds);
drop index parked_deliveries_due;
create index parked_deliveries_due on parked_deliveries (destination_id, bulk, next_time) where state = 'waiting';
`.execute(db)
}
