import { type QueryExecutorProvider, sql } from 'kysely'

const statements = `
create table person_data_places (
  workspace_id uuid primary key references workspaces on delete cascade,
  -- The paths of the kinds of data whose paths are not the defaults, in their order.
  places jsonb not null,
  revision integer not null,
  update_time timestamptz not null
);

create function note_person_data_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('signals', array[new.workspace_id, old.workspace_id]);
  perform note_directory_objects('destination', array(
    select id from destinations where workspace_id in (new.workspace_id, old.workspace_id) and delete_time is null));
  return null;
end $$;

create constraint trigger directory_person_data_places
  after insert or delete or update on person_data_places
  deferrable initially deferred for each row execute function note_person_data_change();
`

/** Adds the paths at which workspaces have the data of people. Mappings of all destinations of a workspace read them. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql.raw(statements).execute(db)
}
