import { type QueryExecutorProvider, sql } from 'kysely'

/** What a workspace decides about who is who. A change of it is one of the directory, by the id of the workspace. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table identity_settings (
  workspace_id uuid primary key references workspaces on delete cascade,
  rules jsonb not null,
  update_time timestamptz not null
);

alter table directory_changes
  drop constraint directory_changes_kind_check,
  add constraint directory_changes_kind_check check (kind in ('source','destination','write_key','identity_settings'));

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
create constraint trigger directory_identity_settings
  after insert or delete or update on identity_settings
  deferrable initially deferred for each row execute function note_identity_settings_change();
`.execute(db)
}
