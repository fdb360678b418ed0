import { type QueryExecutorProvider, sql } from 'kysely'

/** By which rules people are notified of runs, as a JSON text, and what was told of a run. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table syncs add column alerts text not null
  default '{"failed":true,"rejected_percent":null,"minutes":null,"rows_percent":null}';
alter table sync_runs add column alert text not null default '';
`.execute(db)
}
