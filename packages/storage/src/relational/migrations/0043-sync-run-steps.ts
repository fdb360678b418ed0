import { type QueryExecutorProvider, sql } from 'kysely'

/** When a run came to each of its states. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`alter table sync_runs add column state_times text not null default '{}'`.execute(db)
}
