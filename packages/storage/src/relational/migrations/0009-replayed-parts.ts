import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Which events of a parked row a replay has chosen, by their index in the record; null for all of them. The row stays
 * one until they become due.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`alter table parked_deliveries add column replay_indexes integer[]`.execute(db)
}
