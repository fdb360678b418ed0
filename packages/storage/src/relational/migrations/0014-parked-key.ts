import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * A parked row is told from others of its record by a hash of the events it names: an index takes no key as long as the
 * list of a large record, and refused the row, and with it every row that was written beside it.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table parked_deliveries
  add column event_indexes_hash bigint not null generated always as (hash_array_extended(event_indexes, 0)) stored;
alter table parked_deliveries drop constraint parked_deliveries_destination_id_log_partition_log_offset_e_key;
alter table parked_deliveries add constraint parked_deliveries_key
  unique (destination_id, log_partition, log_offset, event_indexes_hash);
`.execute(db)
}
