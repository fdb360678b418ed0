import { type QueryExecutorProvider, sql } from 'kysely'

/** A run may be of the rejected rows of an earlier one alone. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table sync_runs add column rerun_of uuid references sync_runs on delete set null;
create index sync_runs_rerun on sync_runs (rerun_of) where rerun_of is not null;
`.execute(db)
}
