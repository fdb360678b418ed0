/**
 * The version of the configuration, and its latest changes, by which processes refresh their caches. Triggers are
 * deferred: the row of the version is locked last, at commit, so that no two transactions wait for each other. A
 * version is assigned at commit, so a reader that has seen a version has missed no earlier change. A changed connection
 * counts as a change of both its ends. A created or deleted source or destination counts as a change of everything to
 * which it is connected. Deleted objects keep their rows, so that readers learn of the deletion.
 */
export const directorySql = `
-- A single row whose version grows with every change that the configuration caches of other threads must read.
create table directory_version (
  version bigint not null,
  -- The transaction that last raised the version: one transaction raises it only once.
  changed_by bigint not null
);
insert into directory_version values (1, 0);

-- The latest changes to the content of configuration caches, with their versions; kept for deleted objects.
create table directory_changes (
  kind text not null check (kind in (
    'source','destination','write_key','identity_settings','profile_key','computed_traits','sync_token',
    'signals')),
  id uuid not null,
  version bigint not null,
  primary key (kind, id)
);
create index directory_changes_version on directory_changes (version);

create function note_directory_objects(changed text, ids uuid[]) returns void language sql as $$
  insert into directory_changes (kind, id, version)
    select distinct changed, each, (select version from directory_version) from unnest(ids) as each
    where each is not null
  on conflict (kind, id) do update set version = excluded.version
$$;

create function note_directory_change() returns trigger language plpgsql as $$
declare
  comes_or_goes boolean := tg_op <> 'UPDATE';
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  if tg_table_name = 'write_keys' then
    perform note_directory_objects('write_key', array[new.id, old.id]);
  elsif tg_table_name = 'oauth_grants' then
    perform note_directory_objects('destination', array[new.destination_id, old.destination_id]);
  elsif tg_table_name = 'connections' then
    perform note_directory_objects('source', array[new.source_id, old.source_id]);
    perform note_directory_objects('destination', array[new.destination_id, old.destination_id]);
  elsif tg_table_name = 'sources' then
    perform note_directory_objects('source', array[new.id, old.id]);
    if comes_or_goes or new.delete_time is distinct from old.delete_time then
      perform note_directory_objects('destination', array(
        select destination_id from connections where source_id in (new.id, old.id)));
    end if;
  else
    perform note_directory_objects('destination', array[new.id, old.id]);
    if comes_or_goes or new.delete_time is distinct from old.delete_time then
      perform note_directory_objects('source', array(
        select source_id from connections where destination_id in (new.id, old.id)));
    end if;
  end if;
  return null;
end $$;
`
