import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * A version that grows with every change to write keys, sources, destinations and connections, and a notification on the
 * channel `directory_changed`, so that other processes refresh what they keep in memory. The triggers are deferred: the
 * row is locked last, at commit, so that two transactions never wait for each other over it. That a key was used changes
 * nothing.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table directory_version (version bigint not null, changed_by bigint not null);
insert into directory_version values (1, 0);

create function note_directory_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  return null;
end $$;

create constraint trigger directory_write_keys
  after insert or delete or update of source_id, key_hash, revoke_time on write_keys
  deferrable initially deferred for each row execute function note_directory_change();
create constraint trigger directory_sources
  after delete or update of title, enabled, delete_time on sources
  deferrable initially deferred for each row execute function note_directory_change();
create constraint trigger directory_destinations
  after insert or delete or update on destinations
  deferrable initially deferred for each row execute function note_directory_change();
create constraint trigger directory_connections
  after insert or delete or update on connections
  deferrable initially deferred for each row execute function note_directory_change();
`.execute(db)
}
