import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * The values that a trait had before, latest first: a list of `{value, time, event_id, source_id}`. In the row of the trait, so
 * that it is written when the trait is, and goes where it goes.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`alter table profile_traits add column earlier jsonb not null default '[]'`.execute(db)
}
