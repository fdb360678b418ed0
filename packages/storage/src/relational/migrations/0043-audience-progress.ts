import { type QueryExecutorProvider, sql } from 'kysely'

/** How far the computation of an audience is: what it does, and which share of that is done. Null while nothing is computed. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table audiences add column progress_step text check (progress_step in ('waiting','events','profiles'));
alter table audiences add column progress_share real;
`.execute(db)
}
