import { type QueryExecutorProvider, sql } from 'kysely'

/** What runs of syncs would do; `fields`, `counts` and `samples` are JSON texts. They are removed an hour after they ended. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table sync_dry_runs (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  sync_id uuid references syncs on delete cascade,
  model_id uuid not null references models on delete cascade,
  mode text not null check (mode in ('FULL_SYNC','UPSERT_ONLY','UPDATE_ONLY','INSERT_ONLY')),
  identifier text not null,
  fields text not null,
  guard_percent integer not null,
  resync boolean not null,
  state text not null check (state in ('queued','reading','comparing','done','failed','canceled')),
  read_rows bigint not null default 0,
  counts text,
  asks text not null default '',
  samples text not null default '[]',
  message text not null default '',
  create_time timestamptz not null,
  finish_time timestamptz
);
create index sync_dry_runs_workspace on sync_dry_runs (workspace_id);
create index sync_dry_runs_sync on sync_dry_runs (sync_id);
create index sync_dry_runs_model on sync_dry_runs (model_id);
`.execute(db)
}
