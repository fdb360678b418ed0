import { type QueryExecutorProvider, sql } from 'kysely'

/** Keys of the Profile API, of which a hash is kept. A change of one is a change of the directory. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table profile_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  kind text not null check (kind in ('secret','public')),
  traits text[] not null,
  key_hash bytea not null unique,
  hint text not null,
  create_time timestamptz not null,
  revoke_time timestamptz
);
create index profile_keys_workspace on profile_keys (workspace_id, create_time desc, id desc) where revoke_time is null;

alter table directory_changes
  drop constraint directory_changes_kind_check,
  add constraint directory_changes_kind_check
    check (kind in ('source','destination','write_key','identity_settings','profile_key'));

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
create constraint trigger directory_profile_keys
  after insert or delete or update on profile_keys
  deferrable initially deferred for each row execute function note_profile_key_change();
`.execute(db)
}
