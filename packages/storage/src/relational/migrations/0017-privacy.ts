import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Who is to be forgotten. `privacy_requests` are what people asked for, `privacy_places` how far each store is. The values of
 * identifiers lie in `privacy_identifiers` only until nothing needs them any more; `privacy_hashes` stay: keyed hashes of
 * identifiers, of which events before `delete_time` are nobody's, and from `suppress_time` on all of them.
 *
 * `erasures` of a ledger counts the changes of its hashes: 0 while there are none, so that who asks need not look.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table identity_ledgers
  add column erasures bigint not null default 0,
  add column privacy_key bytea;

alter table identity_operations
  drop constraint identity_operations_kind_check,
  add constraint identity_operations_kind_check
    check (kind in ('create','link','merge','refuse','split','erase')) not valid;

create index profiles_merged on profiles (workspace_id, merged_into) where merged_into is not null;

create table privacy_hashes (
  workspace_id uuid not null references identity_ledgers on delete cascade,
  hash text collate "C" not null,
  type text not null,
  delete_time timestamptz,
  suppress_time timestamptz,
  refused_events bigint not null default 0,
  request_id uuid not null,
  primary key (workspace_id, hash)
);
create index privacy_hashes_suppressed on privacy_hashes (workspace_id, suppress_time, hash)
  where suppress_time is not null;

create table privacy_requests (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null check (kind in ('delete','suppress','delete_and_suppress')),
  actor_id uuid not null,
  identifiers integer not null,
  profiles integer not null,
  sequence bigint not null,
  create_time timestamptz not null,
  finish_time timestamptz
);
create index privacy_requests_newest on privacy_requests (workspace_id, create_time desc, id desc);

create table privacy_identifiers (
  request_id uuid not null references privacy_requests on delete cascade,
  type text collate "C" not null,
  value text collate "C" not null,
  primary key (request_id, value, type)
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
`.execute(db)
}
