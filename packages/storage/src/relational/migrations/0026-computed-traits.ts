import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Computed traits: `definition` is JSON text. A pass goes through all profiles by their ids and computes a trait for each;
 * `pass_after` is the last one that it has done. `computed_version` is the version of the definition that a pass has come to
 * the end of.
 *
 * `computed_trait_changes` are identifiers whose profile has an event that the trait is made of, until it was computed anew; a
 * higher `serial` says that it happened again. `computed_trait_places` say up to which entry of a workspace's ledger merges and splits are
 * followed, and as of when all that was known is computed.
 *
 * Values are traits like others (`profile_traits`), of the first identifier of a profile: `source_id` is the computed trait and
 * `due` the time from which the value is to be computed anew, infinity where time alone changes nothing. Their `time` is infinity,
 * so that they come before what events say, and `event_id` is the moment when the value changed, as JavaScript writes times.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table computed_traits (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  trait text collate "C" not null,
  definition text not null,
  version integer not null default 1,
  computed_version integer not null default 0,
  pass_time timestamptz,
  pass_after uuid,
  pass_done integer not null default 0,
  pass_total integer not null default 0,
  compute_time timestamptz,
  failure text not null default '',
  retry_time timestamptz,
  delete_time timestamptz,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create unique index computed_traits_trait on computed_traits (workspace_id, trait);

create table computed_trait_places (
  workspace_id uuid primary key references workspaces on delete cascade,
  sequence bigint not null,
  as_of timestamptz
);

create sequence computed_trait_changes_serial;
create table computed_trait_changes (
  trait_id uuid not null references computed_traits on delete cascade,
  identifier bigint not null,
  serial bigint not null default nextval('computed_trait_changes_serial'),
  primary key (trait_id, identifier)
);

alter table profile_traits add column due timestamptz;
create index profile_traits_computed on profile_traits (source_id, due) where due is not null;

alter table directory_changes
  drop constraint directory_changes_kind_check,
  add constraint directory_changes_kind_check
    check (kind in ('source','destination','write_key','identity_settings','profile_key','computed_traits'));

create function note_computed_trait_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('computed_traits', array[new.workspace_id, old.workspace_id]);
  return null;
end $$;
create constraint trigger directory_computed_traits
  after insert or delete or update of version, delete_time on computed_traits
  deferrable initially deferred for each row execute function note_computed_trait_change();
`.execute(db)
}
