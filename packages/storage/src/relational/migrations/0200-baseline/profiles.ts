/**
 * Profiles. The ledger is `identity_operations`: all operations of a workspace in one order. A writer locks the row of
 * `identity_ledgers`, whose counter numbers the operations. Profiles and their identifiers are computed from the
 * ledger, and can be computed again. Identifiers are compared by their bytes.
 *
 * A trait belongs to the identifier that it came with, so that merges and splits touch no trait. A value that was too
 * large is null; the name '' stands for names that are not stored.
 */
export const profilesSql = `
-- How far the ledger of a workspace is. Its writers hold the lock of the row.
-- The erasures are counted changes of hashes: 0 while there are none. The revision counts changes after which known facts are verified again.
create table identity_ledgers (
  workspace_id uuid primary key references workspaces on delete cascade,
  sequence bigint not null default 0,
  has_splits boolean not null default false,
  -- Changes of privacy_hashes.
  erasures bigint not null default 0,
  -- The key of identifier hashes; null while there are no hashes.
  privacy_key bytea,
  -- Whether any alias call has named a previous ID.
  has_previous boolean not null default false,
  -- Counts changes after which known facts must be checked again.
  revision bigint not null default 0
);

-- The operations of identity resolution.
-- The tables below have no foreign key to the ledger, whose row is locked by every writer. The check for each row was a large part of the
-- cost of a new profile. A trigger removes what belongs to a ledger.
create table identity_operations (
  workspace_id uuid not null,
  sequence bigint not null,
  kind text not null,
  profile_id uuid not null,
  -- The profile that was merged, or that a split made.
  other_id uuid,
  type text collate "C" not null default '',
  value text collate "C" not null default '',
  by_type text collate "C" not null default '',
  by_value text collate "C" not null default '',
  alias boolean not null default false,
  reason text not null default '',
  -- The identifiers that a split moved away.
  members jsonb,
  -- The event that caused it; '' and null for a split.
  event_id text not null default '',
  source_id uuid,
  actor_id uuid,
  time timestamptz not null,
  primary key (workspace_id, sequence)
);
create index identity_operations_profile on identity_operations (workspace_id, profile_id, sequence)
  where kind in ('refuse','split','merge');
create index identity_operations_other on identity_operations (workspace_id, other_id) where other_id is not null;
-- Not validated, as in databases in which the table had rows.
alter table identity_operations add constraint identity_operations_kind_check
  check (kind in ('create','link','merge','refuse','split','erase')) not valid;

-- The position of each partition up to which accepted events are in the ledgers.
-- Written in the transactions that write into ledgers. A restored database goes back with its positions; the consumer notices by their marks.
create table identity_places (
  partition integer primary key,
  -- A new value with each change.
  mark uuid not null,
  next bigint not null,
  incarnation text,
  note text not null
);

create table identity_settings (
  workspace_id uuid primary key references workspaces on delete cascade,
  -- identityRules of the contract; those that are not there have their defaults.
  rules jsonb not null,
  update_time timestamptz not null
);

create table profiles (
  workspace_id uuid not null,
  id uuid not null,
  sequence bigint not null,
  create_time timestamptz not null,
  merged_into uuid,
  primary key (workspace_id, id)
);
create index profiles_newest on profiles (workspace_id, sequence) where merged_into is null;
create index profiles_merged on profiles (workspace_id, merged_into) where merged_into is not null;

create table profile_identifiers (
  workspace_id uuid not null,
  type text collate "C" not null,
  value text collate "C" not null,
  profile_id uuid not null,
  sequence bigint not null,
  create_time timestamptz not null,
  primary key (workspace_id, value, type)
);
create unique index profile_identifiers_sequence on profile_identifiers (workspace_id, sequence);
create index profile_identifiers_profile on profile_identifiers (workspace_id, profile_id);

-- Pairs of identifiers that must never be in one profile again, in both directions.
create table profile_identifiers_apart (
  workspace_id uuid not null,
  value text collate "C" not null,
  type text collate "C" not null,
  other_value text collate "C" not null,
  other_type text collate "C" not null,
  primary key (workspace_id, value, type, other_value, other_type)
);

-- earlier has the values before, latest first. For a value that is computed, source_id is the computed trait, due the time from which it is
-- computed again, time infinity, and event_id the moment of its change.
create table profile_traits (
  workspace_id uuid not null,
  -- Sequence of the identifier with which the trait came.
  identifier bigint not null,
  -- '' replaces names that are not stored.
  name text collate "C" not null,
  -- JSON text; null when it was too large.
  value text collate "C",
  -- The time of the event that last wrote the trait.
  time timestamptz not null,
  event_id text collate "C" not null,
  source_id uuid not null,
  -- Earlier values, latest first.
  earlier jsonb not null default '[]',
  -- When a computed trait's value must be computed again, infinity for never; null for values from events.
  due timestamptz,
  -- The set with which the trait last came.
  set_id uuid,
  primary key (workspace_id, identifier, name)
);
create index profile_traits_value on profile_traits (workspace_id, left(value, 100));
create index profile_traits_computed on profile_traits (source_id, due) where due is not null;

-- Traits that one event gave are a set: the same traits again change its row alone. Room beside each row, so that a new time needs no entry of an index.
create table profile_trait_sets (
  workspace_id uuid not null,
  identifier bigint not null,
  id uuid not null,
  content uuid,
  time timestamptz not null,
  event_id text collate "C" not null,
  source_id uuid not null,
  primary key (workspace_id, identifier, id)
) with (fillfactor = 70);

-- Traits with the last event that gave them. A set is read only by queries that ask for that event.
create view current_traits as
select t.workspace_id, t.identifier, t.name, t.value, t.earlier, t.set_id, greatest(t.time, s.time) as time,
  case when (s.time, s.event_id) > (t.time, t.event_id) then s.event_id else t.event_id end as event_id,
  case when (s.time, s.event_id) > (t.time, t.event_id) then s.source_id else t.source_id end as source_id
from profile_traits t
left join profile_trait_sets s on s.workspace_id = t.workspace_id and s.identifier = t.identifier and s.id = t.set_id;

create table profile_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  kind text not null check (kind in ('secret','public')),
  -- Names of the traits that a public key may read.
  traits text[] not null,
  -- SHA-256 of the key.
  key_hash bytea not null unique,
  -- Its last characters.
  hint text not null,
  create_time timestamptz not null,
  revoke_time timestamptz
);
create index profile_keys_workspace on profile_keys (workspace_id, create_time desc, id desc)
  where revoke_time is null;

create function remove_ledger() returns trigger language plpgsql as $$
begin
  delete from profile_traits where workspace_id = old.workspace_id;
  delete from profile_identifiers_apart where workspace_id = old.workspace_id;
  delete from profile_identifiers where workspace_id = old.workspace_id;
  delete from profiles where workspace_id = old.workspace_id;
  delete from identity_operations where workspace_id = old.workspace_id;
  return null;
end $$;

create function remove_trait_sets() returns trigger language plpgsql as $$
begin
  delete from profile_trait_sets where workspace_id = old.workspace_id;
  return null;
end $$;

create function note_identity_settings_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('identity_settings', array[new.workspace_id, old.workspace_id]);
  return null;
end $$;

create function note_profile_key_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('profile_key', array[new.id, old.id]);
  return null;
end $$;

create constraint trigger directory_identity_settings
  after insert or delete or update on identity_settings
  deferrable initially deferred for each row execute function note_identity_settings_change();

create constraint trigger directory_profile_keys
  after insert or delete or update on profile_keys
  deferrable initially deferred for each row execute function note_profile_key_change();

create trigger identity_ledgers_removed
  after delete on identity_ledgers
  for each row execute function remove_ledger();

create trigger identity_ledgers_trait_sets
  after delete on identity_ledgers
  for each row execute function remove_trait_sets();
`
