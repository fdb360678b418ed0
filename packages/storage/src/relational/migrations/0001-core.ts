import { type QueryExecutorProvider, sql } from 'kysely'

/** Accounts, organisations, workspaces, sources, destinations, connections, audit, refusals and parked deliveries. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table users (
  id uuid primary key,
  email text not null,
  first_name text not null default '',
  last_name text not null default '',
  photo_url text not null default '',
  password_hash text,
  is_admin boolean not null default false,
  email_verified_at timestamptz,
  create_time timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  create_time timestamptz not null default now(),
  last_used_time timestamptz not null default now(),
  expire_time timestamptz not null,
  user_agent text not null default '',
  ip text not null default ''
);
create index sessions_user on sessions (user_id);

create table organizations (
  id uuid primary key,
  title text not null,
  industry text not null default 'other',
  logo text not null default '',
  create_time timestamptz not null default now()
);

create table memberships (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('ORG_ADMIN','ORG_COLLABORATOR','ORG_GUEST')),
  create_time timestamptz not null default now(),
  unique (organization_id, user_id)
);
create index memberships_user on memberships (user_id);

create table workspaces (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  title text not null,
  create_time timestamptz not null default now()
);
create index workspaces_organization on workspaces (organization_id);

create table sources (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  app text not null,
  target_product text not null default 'CDP',
  enabled boolean not null default true,
  create_time timestamptz not null default now(),
  update_time timestamptz not null default now(),
  delete_time timestamptz
);
create index sources_workspace on sources (workspace_id) where delete_time is null;

create table write_keys (
  id uuid primary key,
  source_id uuid not null references sources on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null default '',
  key_hash bytea not null unique,
  key_encrypted bytea not null,
  create_time timestamptz not null default now(),
  last_used_time timestamptz,
  revoke_time timestamptz
);
create index write_keys_source on write_keys (source_id);

create table destinations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  app text not null,
  enabled boolean not null default true,
  settings jsonb not null default '{}',
  secrets_encrypted bytea,
  create_time timestamptz not null default now(),
  update_time timestamptz not null default now(),
  delete_time timestamptz
);
create index destinations_workspace on destinations (workspace_id) where delete_time is null;

create table connections (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  source_id uuid not null references sources on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  enabled boolean not null default true,
  create_time timestamptz not null default now(),
  unique (source_id, destination_id)
);
create index connections_workspace on connections (workspace_id);

create table audit_log (
  id uuid primary key,
  organization_id uuid,
  workspace_id uuid,
  actor_id uuid,
  action text not null,
  resource text not null,
  detail jsonb not null default '{}',
  create_time timestamptz not null default now()
);
create index audit_log_workspace on audit_log (workspace_id, create_time desc);

create table refused_requests (
  workspace_id uuid,
  source_id uuid,
  key_hint text not null default '',
  reason text not null,
  code integer not null,
  hour timestamptz not null,
  count bigint not null default 0,
  last_time timestamptz not null,
  message text not null default '',
  sample text not null default ''
);
create unique index refused_requests_key on refused_requests
  (coalesce(source_id, '00000000-0000-0000-0000-000000000000'), key_hint, reason, hour);
create index refused_requests_hour on refused_requests (hour);

create table parked_deliveries (
  id uuid primary key,
  workspace_id uuid not null,
  source_id uuid not null,
  destination_id uuid not null,
  log_partition integer not null,
  log_offset bigint not null,
  log_end bigint,
  event_indexes integer[] not null,
  event_count integer not null,
  bytes bigint not null default 0,
  state text not null check (state in ('waiting','dead')),
  attempts integer not null default 0,
  first_time timestamptz not null,
  next_time timestamptz not null,
  last_status integer,
  last_reason text not null default '',
  request text not null default '',
  response text not null default '',
  unique (destination_id, log_partition, log_offset, event_indexes)
);
create index parked_deliveries_due on parked_deliveries (destination_id, next_time) where state = 'waiting';
create index parked_deliveries_position on parked_deliveries (log_partition, log_offset) where state = 'waiting';
`.execute(db)
}
