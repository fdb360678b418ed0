import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Syncs of models to destinations, and their runs. `fields`, `planned` and `counts` are JSON texts. A sync goes with its model and
 * its destination. Only one run of a sync is under way at a time.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table syncs (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  model_id uuid not null references models on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  title text not null,
  object text not null,
  object_name text not null,
  mode text not null check (mode in ('FULL_SYNC','UPSERT_ONLY','UPDATE_ONLY','INSERT_ONLY')),
  identifier text not null,
  fields text not null,
  guard_percent integer not null,
  interval_minutes integer,
  paused boolean not null default false,
  next_run_time timestamptz,
  schedule_note text not null default '',
  run_number integer not null default 0,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create index syncs_workspace on syncs (workspace_id, create_time, id);
create index syncs_model on syncs (model_id);
create index syncs_destination on syncs (destination_id);
create index syncs_due on syncs (next_run_time);

create table sync_runs (
  id uuid primary key,
  sync_id uuid not null references syncs on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  number integer not null,
  state text not null check (state in ('queued','extracting','diffing','needs_approval','sending','canceling',
    'succeeded','partial','failed','canceled')),
  trigger text not null check (trigger in ('manual','schedule')),
  resync boolean not null,
  planned text,
  counts text,
  plan_size integer not null default 0,
  outcome_offset bigint not null default 0,
  message text not null default '',
  approved_by uuid references users on delete set null,
  create_time timestamptz not null,
  start_time timestamptz,
  finish_time timestamptz,
  unique (sync_id, number)
);
create unique index sync_runs_active on sync_runs (sync_id)
  where state in ('queued','extracting','diffing','needs_approval','sending','canceling');
create index sync_runs_order on sync_runs (sync_id, create_time, id);
create index sync_runs_workspace on sync_runs (workspace_id);
create index sync_runs_approver on sync_runs (approved_by);
`.execute(db)
}
