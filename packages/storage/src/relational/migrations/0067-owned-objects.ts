import { type QueryExecutorProvider, sql } from 'kysely'

/** Syncs that own the object at their destination: what of it is not in the model is removed, whoever wrote it. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table syncs add column owns_object boolean not null default false;
alter table sync_dry_runs add column owns_object boolean not null default false;
alter table sync_dry_runs add column destination_id uuid references destinations on delete cascade;
create index sync_dry_runs_destination on sync_dry_runs (destination_id);
`.execute(db)
}
