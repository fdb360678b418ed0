/**
 * Sources with their schemas and keys, domains for collection, requests that were refused or set aside, and workspaces
 * that are in several partitions.
 */
export const sourcesSql = `
create table sources (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  -- Slug of the catalog entry.
  app text not null,
  target_product text not null default 'CDP',
  enabled boolean not null default true,
  create_time timestamptz not null default now(),
  update_time timestamptz not null default now(),
  delete_time timestamptz,
  -- Version of its schema in source_schemas.
  schema_version integer not null default 1,
  enforcement text not null default 'allow' check (enforcement in ('allow','block')),
  settings jsonb not null default '{}',
  secrets_encrypted bytea,
  -- Whether events are held because the organization is over a limit of its plan.
  held boolean not null default false
);
create index sources_workspace on sources (workspace_id) where delete_time is null;

-- Every version of the schema of a source.
create table source_schemas (
  source_id uuid not null references sources on delete cascade,
  version integer not null check (version > 0),
  -- JSON text, as the contract's parseSourceSchema reads it.
  schema text not null,
  -- One of the contract's schemaChanges.
  change text not null,
  author_id uuid references users on delete set null,
  event_count integer not null default 0,
  property_count integer not null default 0,
  create_time timestamptz not null default now(),
  primary key (source_id, version)
);

create table write_keys (
  id uuid primary key,
  source_id uuid not null references sources on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null default '',
  -- SHA-256 of the key, for lookups.
  key_hash bytea not null unique,
  key_encrypted bytea not null,
  create_time timestamptz not null default now(),
  last_used_time timestamptz,
  revoke_time timestamptz,
  -- The API key that created it; null if a person did.
  api_key_id uuid references api_keys on delete set null
);
create index write_keys_source on write_keys (source_id);
create index write_keys_api_key on write_keys (api_key_id) where revoke_time is null and api_key_id is not null;

-- A domain on which a workspace collects its events.
-- Several workspaces may wait for one domain. The first that can show the records gets it.
create table custom_domains (
  id uuid primary key,
  workspace_id uuid not null unique references workspaces on delete cascade,
  -- In lower case.
  domain text not null,
  -- The required value of the TXT record.
  challenge text not null,
  state text not null default 'pending' check (state in ('pending','active','failing')),
  cname_found boolean not null default false,
  txt_found boolean not null default false,
  problem text not null default '',
  check_time timestamptz,
  create_time timestamptz not null
);
create unique index custom_domains_served on custom_domains (domain) where state <> 'pending';
create index custom_domains_check on custom_domains (check_time nulls first);

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

-- An accepted request on which processing failed.
-- By their position in the log. From set_aside_time to end_time processing skips one, and its body is here.
create table set_aside_requests (
  id uuid primary key,
  -- The request's position in the log of requests.
  partition integer not null,
  record bigint not null,
  incarnation text not null,
  workspace_id uuid references workspaces on delete cascade,
  -- Key and metadata as in the log.
  key text not null,
  meta text not null,
  -- Present from when the request is set aside until its end.
  body bytea,
  bytes integer not null,
  failures integer not null,
  error text not null,
  receive_time timestamptz not null,
  fail_time timestamptz not null,
  set_aside_time timestamptz,
  -- Whether a user wants the request to be appended again.
  take_back boolean not null default false,
  end_time timestamptz,
  unique (partition, record, incarnation)
);
create index set_aside_requests_workspace on set_aside_requests (workspace_id);

-- Spreads of workspaces that are, or were, in more than one partition.
create table workspace_spreads (
  workspace_id uuid primary key references workspaces on delete cascade,
  -- The current number of partitions of the workspace.
  spread integer not null default 1 check (spread > 0),
  -- The largest number of partitions that the workspace ever had: its data may be in any of these.
  widest integer not null default 1,
  -- The number of partitions after the running change; null without one.
  next integer,
  -- When a change was last requested.
  change_time timestamptz not null,
  -- When the workspace's events stopped being accepted for the change; null while they are accepted.
  pause_time timestamptz,
  -- Why the running change is stuck, or why the last one was aborted; '' without a reason.
  problem text not null default '',
  check (widest >= spread),
  check (next > 0 and next <= widest)
);

create function note_custom_domain_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  return null;
end $$;

create function note_workspace_spread_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('destination', array(
    select id from destinations where workspace_id = coalesce(new.workspace_id, old.workspace_id)));
  return null;
end $$;

create constraint trigger directory_write_keys
  after insert or delete or update of source_id, key_hash, revoke_time on write_keys
  deferrable initially deferred for each row execute function note_directory_change();

create constraint trigger directory_sources
  after insert or delete or update of title, enabled, delete_time, schema_version, enforcement, settings, secrets_encrypted, held on sources
  deferrable initially deferred for each row execute function note_directory_change();

create constraint trigger directory_custom_domains
  after insert or delete or update of state on custom_domains
  deferrable initially deferred for each row execute function note_custom_domain_change();

create constraint trigger directory_workspace_spreads
  after insert or delete or update of spread, widest, next, pause_time on workspace_spreads
  deferrable initially deferred for each row execute function note_workspace_spread_change();
`
