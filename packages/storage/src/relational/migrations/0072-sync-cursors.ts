import { type QueryExecutorProvider, sql } from 'kysely'

/** Syncs that read only rows from a value of a column on: the column, how far the last run that ended well has come, and what each run read. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table syncs add column cursor text;
alter table syncs add column cursor_reached text;
alter table sync_runs add column cursor text;
alter table sync_dry_runs add column cursor text;
`.execute(db)
}
