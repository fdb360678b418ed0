import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Which events a parked row stands for, in the order of `event_indexes`: so that they can be listed and found. Rows of
 * before, and ranges, which were never tried, name none.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`alter table parked_deliveries add column event_ids text[] not null default '{}'`.execute(db)
}
