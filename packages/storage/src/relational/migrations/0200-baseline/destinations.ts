/** Destinations with their connections and permissions, deliveries that wait or failed, and replays. */
export const destinationsSql = `
create table destinations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  app text not null,
  enabled boolean not null default true,
  -- Settings that may be returned.
  settings jsonb not null default '{}',
  -- Settings that must not be returned, as one encrypted JSON object.
  secrets_encrypted bytea,
  create_time timestamptz not null default now(),
  update_time timestamptz not null default now(),
  delete_time timestamptz,
  -- The contract's EventMapping[] as JSON; null while it uses the presets of its app.
  mappings jsonb,
  mappings_revision integer not null default 0,
  consent_categories text[] not null default '{}'
);
create index destinations_workspace on destinations (workspace_id) where delete_time is null;

create table connections (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  source_id uuid not null references sources on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  enabled boolean not null default true,
  create_time timestamptz not null default now(),
  -- The contract's EventConditions as JSON.
  filter jsonb not null default '{"match": "all", "conditions": []}',
  unique (source_id, destination_id)
);
create index connections_workspace on connections (workspace_id);

-- An OAuth 2 grant of a destination.
create table oauth_grants (
  destination_id uuid primary key references destinations on delete cascade,
  -- A new ID after each consent.
  id uuid not null unique,
  status text not null check (status in ('connected','expired')),
  -- Fingerprint of the client and the token URL for which the grant was issued.
  issued_for text not null,
  -- Access and refresh token with their times, encrypted; null when they are of no use.
  tokens_encrypted bytea,
  -- The granting account, as named by the authorization server, or empty.
  account text not null default '',
  -- Why the grant expired, or why its tokens could not be renewed the last time.
  error text not null default '',
  -- The lease of the process that renews the tokens now, and when it ends.
  lease_id uuid,
  lease_until timestamptz,
  connected_by uuid references users on delete set null,
  connect_time timestamptz not null,
  update_time timestamptz not null,
  check (status = 'expired' or tokens_encrypted is not null)
);

-- An OAuth consent that a user has started.
create table oauth_consents (
  -- SHA-256 of the state that the redirect returns.
  state_hash bytea primary key,
  destination_id uuid not null references destinations on delete cascade,
  -- The user that began the consent; only this user may complete it.
  user_id uuid not null references users on delete cascade,
  -- PKCE verifier (RFC 7636), encrypted.
  verifier_encrypted bytea not null,
  issued_for text not null,
  redirect_uri text not null,
  create_time timestamptz not null,
  expire_time timestamptz not null
);
create index oauth_consents_destination on oauth_consents (destination_id);

-- The hash stands for the indexes in the key: an index takes no key as long as the list of a large record.
create table parked_deliveries (
  id uuid primary key,
  workspace_id uuid not null,
  source_id uuid not null,
  destination_id uuid not null,
  log_partition integer not null,
  log_offset bigint not null,
  -- The offset behind the last record of a range that was held without an attempt; null for a row that names events of one record. A range has all events of its records for this destination (event_indexes is empty).
  log_end bigint,
  -- The indexes of the events in the log record.
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
  -- The replay that makes, or made, the delivery due again.
  replay_id uuid,
  -- IDs of the events, in the same order; empty for a range.
  event_ids text[] not null default '{}',
  -- For a dead letter: the part of event_indexes that the replay has chosen; null for all of them.
  replay_indexes integer[],
  -- Whether the outcome of a dead row must still be reported to its producer.
  tells boolean not null default false,
  -- Stands for event_indexes in the key.
  event_indexes_hash bigint not null generated always as (hash_array_extended(event_indexes, 0)) stored,
  -- Whether it is sent after live events.
  bulk boolean not null default false,
  -- Which records a range includes; '' for all that name the destination, and for rows.
  holds text not null default '' check (holds in ('','live','bulk')),
  constraint parked_deliveries_key unique (destination_id, log_partition, log_offset, event_indexes_hash, holds)
);
create index parked_deliveries_position on parked_deliveries (log_partition, log_offset) where state = 'waiting';
create index parked_deliveries_replay on parked_deliveries (replay_id) where state = 'dead' and replay_id is not null;
create index parked_deliveries_untold on parked_deliveries (log_partition, log_offset) where tells and state = 'dead';
create index parked_deliveries_due on parked_deliveries (destination_id, bulk, next_time) where state = 'waiting';

-- Stored events or dead letters that are sent to one destination again.
create table replays (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  kind text not null check (kind in ('history','dead')),
  start_time timestamptz not null,
  end_time timestamptz not null,
  source_id uuid references sources on delete cascade,
  event text,
  event_type text,
  -- Conditions, as the contract's eventFilter.
  filter jsonb not null default '{"match": "all", "conditions": []}',
  -- For dead letters: the reason of their failure.
  reason text,
  events_per_second integer not null,
  state text not null check (state in ('running','paused','cancelled','done','failed')),
  -- Why the replay failed; '' otherwise.
  failure text not null default '',
  -- The number of events to send, counted at creation, and the number sent so far.
  event_count bigint not null,
  sent_count bigint not null default 0,
  -- The place in the log of requests before which its events lie; '' without a limit.
  stored_before text not null default '',
  -- The last event that was read: receive time (epoch ms) and ID.
  cursor_ms bigint,
  cursor_id text not null default '',
  -- The position in the log of deliveries from which to search for the last appended events.
  log_partition integer,
  log_offset bigint,
  creator_id uuid references users on delete set null,
  create_time timestamptz not null default now(),
  finish_time timestamptz,
  -- For a history: the time of events that start and end refer to.
  time_by text not null default 'receive_time'
);
create unique index replays_open on replays (destination_id) where state in ('running','paused');
create index replays_destination on replays (destination_id, create_time desc);

create constraint trigger directory_destinations
  after insert or delete or update on destinations
  deferrable initially deferred for each row execute function note_directory_change();

create constraint trigger directory_connections
  after insert or delete or update on connections
  deferrable initially deferred for each row execute function note_directory_change();

create constraint trigger directory_oauth_grants
  after insert or delete or update of id, status, issued_for on oauth_grants
  deferrable initially deferred for each row execute function note_directory_change();
`
