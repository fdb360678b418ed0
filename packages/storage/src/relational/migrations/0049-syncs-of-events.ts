import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Syncs whose rows become events of a source of the workspace, in place of records at a destination; `to_destinations`: these are
 * sent to the destinations that are connected to it, too.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table syncs alter column destination_id drop not null;
alter table syncs add column source_id uuid references sources on delete cascade;
alter table syncs add column to_destinations boolean not null default false;
alter table syncs add constraint syncs_target check ((destination_id is null) <> (source_id is null));
create index syncs_source on syncs (source_id);
alter table sync_dry_runs add column source_id uuid references sources on delete cascade;
alter table sync_dry_runs add column object text not null default '';
alter table sync_dry_runs add column object_name text not null default '';
create index sync_dry_runs_source on sync_dry_runs (source_id);
`.execute(db)
}
