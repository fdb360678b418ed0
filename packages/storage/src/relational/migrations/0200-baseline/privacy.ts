/**
 * Requests to delete or suppress users. Values of identifiers are stored only while a step needs them; their keyed
 * hashes stay. Events with a hash have no owner if they were received until its `delete_time`, or while its
 * `suppress_time` is set.
 */
export const privacySql = `
create table privacy_requests (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null check (kind in ('delete','suppress','delete_and_suppress')),
  actor_id uuid not null,
  -- The number of requested identifiers, and of profiles that had them.
  identifiers integer not null,
  profiles integer not null,
  -- The ledger position of the request: values of these identifiers up to it must be removed.
  sequence bigint not null,
  create_time timestamptz not null,
  finish_time timestamptz,
  -- When the files of the database were rewritten without the deleted data; files_error is why they were not.
  files_time timestamptz,
  files_error text not null default '',
  -- The start of the rewrite round for this request; null before.
  files_round timestamptz
);
create index privacy_requests_newest on privacy_requests (workspace_id, create_time desc, id desc);

-- The values to remove, as long as a step needs them.
create table privacy_identifiers (
  request_id uuid not null references privacy_requests on delete cascade,
  type text collate "C" not null,
  value text collate "C" not null,
  -- Identifiers of one person have the same number.
  person integer not null default 0,
  primary key (request_id, value, type)
);

-- Deleted and suppressed users: keyed hashes of their identifiers.
create table privacy_hashes (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  -- Hexadecimal.
  hash text collate "C" not null,
  -- The kind of the identifier.
  type text not null,
  -- Events received until this time have no owner.
  delete_time timestamptz,
  -- While it is set, events have no owner.
  suppress_time timestamptz,
  -- The number of events that were refused a profile.
  refused_events bigint not null default 0,
  -- The last request for this hash.
  request_id uuid not null,
  -- The number of the ledger's hash change that wrote it.
  changed bigint not null default 0,
  -- Its number in the event store, the column owner of events; null for kinds that own none.
  owner numeric(20),
  -- Its sequence in profile_identifiers; null when none had it, or its profile was erased.
  identifier bigint,
  primary key (workspace_id, hash)
);
create index privacy_hashes_suppressed on privacy_hashes (workspace_id, suppress_time, hash)
  where suppress_time is not null;
create index privacy_hashes_identifier on privacy_hashes (workspace_id, identifier)
  where suppress_time is not null and identifier is not null;

-- Owners whose stored events a request removes, for identifiers whose values are not stored.
create table privacy_owners (
  request_id uuid not null references privacy_requests on delete cascade,
  owner numeric(20) not null,
  primary key (request_id, owner)
);

-- The progress of a privacy request in each place.
create table privacy_places (
  request_id uuid not null references privacy_requests on delete cascade,
  place text not null,
  state text not null check (state in ('waiting','running','done')),
  -- When the state ends automatically.
  until timestamptz,
  last_error text not null default '',
  update_time timestamptz not null,
  primary key (request_id, place)
);
create index privacy_places_open on privacy_places (state, place) where state <> 'done';

-- The request to a destination to delete a person of a privacy request.
-- Destinations that are to delete users, and the outcome for each.
create table privacy_tellings (
  request_id uuid not null references privacy_requests on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  person integer not null,
  state text not null check (state in ('waiting','sent','done','failed','not_told')),
  -- Why the request failed or was not sent.
  reason text not null default '',
  primary key (request_id, destination_id, person)
);
create index privacy_tellings_open on privacy_tellings (request_id) where state not in ('done','not_told');

-- Syncs that may have rows about the people of a privacy request, until the rows are removed.
-- Syncs of profiles that may have rows of deleted users, until these are removed.
create table privacy_syncs (
  request_id uuid not null references privacy_requests on delete cascade,
  sync_id uuid not null references syncs on delete cascade,
  -- The keys that their rows may have at the destination.
  keys text[] not null,
  -- The number of the sync's last run when the rows were removed; null if they were not yet.
  swept_run integer,
  primary key (request_id, sync_id)
);
create index privacy_syncs_sync on privacy_syncs (sync_id);

-- Deleted users that a destination still counts among an audience: it is notified before their identifiers are erased.
-- Deleted users that destinations still count among an audience.
create table audience_farewells (
  request_id uuid not null references privacy_requests on delete cascade,
  connection_id uuid not null references audience_destinations on delete cascade,
  -- The person's number in the identifiers of the request.
  person integer not null,
  profile_id uuid not null,
  primary key (request_id, connection_id, profile_id)
);
create index audience_farewells_connection on audience_farewells (connection_id);
`
