/**
 * Data sources with their models, and the syncs of models to destinations and sources, with runs and alerts. Settings
 * and plans are JSON texts, which keep the order of names.
 */
export const syncsSql = `
-- A company's database from which models read.
create table data_sources (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  app text not null,
  -- Settings that may be returned.
  settings jsonb not null default '{}',
  -- Settings that must not be returned, as one encrypted JSON object.
  secrets_encrypted bytea,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create index data_sources_workspace on data_sources (workspace_id, create_time, id);

-- Files that were uploaded for data sources.
create table data_source_uploads (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  data_source_id uuid not null references data_sources on delete cascade,
  user_id uuid references users on delete set null,
  file_name text not null,
  bytes bigint not null,
  rows bigint not null,
  -- JSON texts.
  columns text not null,
  settings text not null,
  -- Whether a newer upload has replaced it, and its bytes are deleted.
  replaced boolean not null default false,
  create_time timestamptz not null
);
create unique index data_source_uploads_current on data_source_uploads (data_source_id) where not replaced;
create index data_source_uploads_history on data_source_uploads (data_source_id, create_time, id);

create table models (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  data_source_id uuid not null references data_sources on delete cascade,
  title text not null,
  -- JSON text, as the contract's dataQuery reads it.
  query text not null,
  primary_key text[] not null,
  -- JSON text: the contract's DataColumn[].
  columns text not null,
  create_time timestamptz not null,
  update_time timestamptz not null,
  -- The audience whose members are the rows.
  audience_id uuid references audiences on delete cascade
);
create index models_workspace on models (workspace_id, create_time, id);
create index models_data_source on models (data_source_id);
create index models_audience on models (audience_id) where audience_id is not null;

-- Syncs write the rows of a model to a destination or a source.
-- The reference to the sync before is checked at the commit, after the trigger that ends it.
create table syncs (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  model_id uuid not null references models on delete cascade,
  -- The destination; either this or source_id is null.
  destination_id uuid references destinations on delete cascade,
  title text not null,
  object text not null,
  object_name text not null,
  mode text not null check (mode in ('FULL_SYNC','UPSERT_ONLY','UPDATE_ONLY','INSERT_ONLY')),
  identifier text not null,
  -- JSON text.
  fields text not null,
  guard_percent integer not null,
  interval_minutes integer,
  paused boolean not null default false,
  next_run_time timestamptz,
  -- Number of the last run that was started.
  run_number integer not null default 0,
  create_time timestamptz not null,
  update_time timestamptz not null,
  cron text,
  cron_time_zone text,
  after_sync_id uuid references syncs deferrable initially deferred,
  -- JSON text.
  alerts text not null default '{"failed":true,"rejected_percent":null,"minutes":null,"rows_percent":null}',
  -- The source that receives rows as events.
  source_id uuid references sources on delete cascade,
  -- Whether events go to the destinations of their source.
  to_destinations boolean not null default false,
  -- The outcome of the last time of its schedule. After another sync: the outcome of that one's run, or that it was deleted.
  schedule_state text not null default 'on_time' check (schedule_state in (
    'on_time','not_ended','failed','canceled','deleted')),
  -- The title of the sync that the state is about; '' for the sync itself.
  schedule_title text not null default '',
  -- Whether users were notified that the sync after which it runs was deleted.
  schedule_told boolean not null default false,
  -- When next_run_time was computed.
  next_run_from timestamptz,
  -- Whether rows of the object that are not in the model are removed, whichever program wrote them.
  owns_object boolean not null default false,
  -- JSON texts: the column by which new and changed rows are read, and how far the last run that ended well has come.
  cursor text,
  cursor_reached text,
  constraint syncs_schedule check (num_nonnulls(interval_minutes, cron, after_sync_id) <= 1),
  constraint syncs_time_zone check ((cron is null) = (cron_time_zone is null)),
  constraint syncs_target check ((destination_id is null) <> (source_id is null))
);
create index syncs_workspace on syncs (workspace_id, create_time, id);
create index syncs_model on syncs (model_id);
create index syncs_destination on syncs (destination_id);
create index syncs_due on syncs (next_run_time);
create index syncs_after on syncs (after_sync_id);
create index syncs_source on syncs (source_id);

-- One run of a sync.
create table sync_runs (
  id uuid primary key,
  sync_id uuid not null references syncs on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  number integer not null,
  state text not null check (state in (
    'queued','extracting','diffing','needs_approval','sending','canceling','succeeded','partial','failed',
    'canceled')),
  trigger text not null check (trigger in ('manual','schedule','after','api')),
  resync boolean not null,
  -- JSON texts; null until they are known.
  planned text,
  counts text,
  -- Number of keys to send.
  plan_size integer not null default 0,
  -- The offset from which on the log of outcomes may contain outcomes of this run.
  outcome_offset bigint not null default 0,
  message text not null default '',
  approved_by uuid references users on delete set null,
  create_time timestamptz not null,
  start_time timestamptz,
  finish_time timestamptz,
  -- JSON: when the run last entered each state after the first.
  state_times text not null default '{}',
  -- The alert that was sent for the run.
  alert text not null default '',
  -- The key by which an API caller identifies the run that it requested.
  request_key text,
  -- The run whose rejected rows this run sends again.
  rerun_of uuid references sync_runs on delete set null,
  -- Whether users were notified that the schedule waits for this run.
  told_stalled boolean not null default false,
  -- JSON: what the run read by the cursor of its sync.
  cursor text,
  unique (sync_id, number)
);
create unique index sync_runs_active on sync_runs (sync_id)
  where state in ('queued','extracting','diffing','needs_approval','sending','canceling');
create index sync_runs_order on sync_runs (sync_id, create_time, id);
create index sync_runs_workspace on sync_runs (workspace_id);
create index sync_runs_approver on sync_runs (approved_by);
create unique index sync_runs_request on sync_runs (sync_id, request_key) where request_key is not null;
create index sync_runs_rerun on sync_runs (rerun_of) where rerun_of is not null;

-- A dry run of a sync.
create table sync_dry_runs (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- Null for a sync that is not saved.
  sync_id uuid references syncs on delete cascade,
  model_id uuid not null references models on delete cascade,
  mode text not null check (mode in ('FULL_SYNC','UPSERT_ONLY','UPDATE_ONLY','INSERT_ONLY')),
  identifier text not null,
  -- JSON text.
  fields text not null,
  guard_percent integer not null,
  resync boolean not null,
  state text not null check (state in ('queued','reading','comparing','done','failed','canceled')),
  read_rows bigint not null default 0,
  -- JSON texts.
  counts text,
  asks text not null default '',
  samples text not null default '[]',
  message text not null default '',
  create_time timestamptz not null,
  finish_time timestamptz,
  -- The source that receives rows as events.
  source_id uuid references sources on delete cascade,
  object text not null default '',
  object_name text not null default '',
  owns_object boolean not null default false,
  -- The destination that the dry run queries.
  destination_id uuid references destinations on delete cascade,
  -- JSON text.
  cursor text
);
create index sync_dry_runs_workspace on sync_dry_runs (workspace_id);
create index sync_dry_runs_sync on sync_dry_runs (sync_id);
create index sync_dry_runs_model on sync_dry_runs (model_id);
create index sync_dry_runs_source on sync_dry_runs (source_id);
create index sync_dry_runs_destination on sync_dry_runs (destination_id);

-- A sync that a user is about to create.
create table sync_drafts (
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null references users on delete cascade,
  -- JSON text.
  draft text not null,
  update_time timestamptz not null,
  -- The API key that the draft belongs to; null for a draft of the user.
  key_id uuid references api_keys on delete cascade
);
create index sync_drafts_user on sync_drafts (user_id);
create unique index sync_drafts_caller on sync_drafts (workspace_id, coalesce(key_id, user_id));
create index sync_drafts_key on sync_drafts (key_id);

-- Tokens with which orchestrators start syncs.
create table sync_tokens (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  -- SHA-256 of the token.
  token_hash bytea not null unique,
  -- Its last characters.
  hint text not null,
  create_time timestamptz not null,
  -- Rounded to a minute.
  last_used_time timestamptz,
  revoke_time timestamptz
);
create index sync_tokens_workspace on sync_tokens (workspace_id, create_time desc, id desc) where revoke_time is null;

-- Channels for alerts of syncs, in addition to inbox and mail.
create table alert_channels (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  kind text not null check (kind in ('slack','webhook')),
  -- The host of its URL.
  host text not null,
  -- JSON of URL and signing secret, encrypted.
  secrets_encrypted bytea not null,
  -- The syncs whose alerts it receives, some of which may be deleted; null for all.
  sync_ids uuid[],
  create_time timestamptz not null,
  last_sent_time timestamptz,
  failure text not null default '',
  failure_time timestamptz
);
create index alert_channels_workspace on alert_channels (workspace_id, create_time desc, id desc);

-- Alerts that a channel has not received yet.
create table alert_messages (
  id uuid primary key,
  channel_id uuid not null references alert_channels on delete cascade,
  -- JSON text.
  message text not null,
  create_time timestamptz not null,
  expire_time timestamptz not null
);
create index alert_messages_channel on alert_messages (channel_id);
create index alert_messages_expiry on alert_messages (expire_time);

create function leave_followers() returns trigger language plpgsql as $$
begin
  update syncs set after_sync_id = null, schedule_state = 'deleted', schedule_title = old.title, schedule_told = false
    where after_sync_id = old.id;
  return null;
end $$;

create function note_sync_token_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('sync_token', array[new.id, old.id]);
  return null;
end $$;

create constraint trigger directory_sync_tokens
  after insert or delete or update of revoke_time on sync_tokens
  deferrable initially deferred for each row execute function note_sync_token_change();

create trigger syncs_leave_followers
  after delete on syncs
  for each row execute function leave_followers();
`
