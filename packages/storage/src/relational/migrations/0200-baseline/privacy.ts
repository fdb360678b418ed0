/**
 * Requests to delete or suppress users. Values of identifiers are here only until nothing needs them any more; keyed hashes of them stay. Events before
 * `delete_time` of a hash have no owner, and from `suppress_time` on none has.
 */
export const privacySql = `
create table privacy_requests (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null check (kind in ('delete','suppress','delete_and_suppress')),
  actor_id uuid not null,
  identifiers integer not null,
  profiles integer not null,
  sequence bigint not null,
  create_time timestamptz not null,
  finish_time timestamptz,
  files_time timestamptz,
  files_error text not null default '',
  files_round timestamptz
);
create index privacy_requests_newest on privacy_requests (workspace_id, create_time desc, id desc);

create table privacy_identifiers (
  request_id uuid not null references privacy_requests on delete cascade,
  type text collate "C" not null,
  value text collate "C" not null,
  person integer not null default 0,
  primary key (request_id, value, type)
);

create table privacy_hashes (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  hash text collate "C" not null,
  type text not null,
  delete_time timestamptz,
  suppress_time timestamptz,
  refused_events bigint not null default 0,
  request_id uuid not null,
  changed bigint not null default 0,
  owner numeric(20),
  identifier bigint,
  primary key (workspace_id, hash)
);
create index privacy_hashes_suppressed on privacy_hashes (workspace_id, suppress_time, hash)
  where suppress_time is not null;
create index privacy_hashes_identifier on privacy_hashes (workspace_id, identifier)
  where suppress_time is not null and identifier is not null;

create table privacy_owners (
  request_id uuid not null references privacy_requests on delete cascade,
  owner numeric(20) not null,
  primary key (request_id, owner)
);

create table privacy_places (
  request_id uuid not null references privacy_requests on delete cascade,
  place text not null,
  state text not null check (state in ('waiting','running','done')),
  until timestamptz,
  last_error text not null default '',
  update_time timestamptz not null,
  primary key (request_id, place)
);
create index privacy_places_open on privacy_places (state, place) where state <> 'done';

-- Destinations that are to delete users, and the outcome for each.
create table privacy_tellings (
  request_id uuid not null references privacy_requests on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  person integer not null,
  state text not null check (state in ('waiting','sent','done','failed','not_told')),
  reason text not null default '',
  primary key (request_id, destination_id, person)
);
create index privacy_tellings_open on privacy_tellings (request_id) where state not in ('done','not_told');

-- Syncs of profiles that may have rows of deleted users, until these are removed.
create table privacy_syncs (
  request_id uuid not null references privacy_requests on delete cascade,
  sync_id uuid not null references syncs on delete cascade,
  keys text[] not null,
  swept_run integer,
  primary key (request_id, sync_id)
);
create index privacy_syncs_sync on privacy_syncs (sync_id);

-- Deleted users that destinations still count among an audience.
create table audience_farewells (
  request_id uuid not null references privacy_requests on delete cascade,
  connection_id uuid not null references audience_destinations on delete cascade,
  person integer not null,
  profile_id uuid not null,
  primary key (request_id, connection_id, profile_id)
);
create index audience_farewells_connection on audience_farewells (connection_id);
`
