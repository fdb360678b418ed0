import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Tokens with which orchestrators start syncs, of which a hash is kept. A new or revoked one is a change of the directory, its use
 * is not. A run that was asked for with a key is found by it.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table sync_tokens (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  token_hash bytea not null unique,
  hint text not null,
  create_time timestamptz not null,
  last_used_time timestamptz,
  revoke_time timestamptz
);
create index sync_tokens_workspace on sync_tokens (workspace_id, create_time desc, id desc) where revoke_time is null;

alter table sync_runs
  drop constraint sync_runs_trigger_check,
  add constraint sync_runs_trigger_check check (trigger in ('manual','schedule','after','api')),
  add column request_key text;
create unique index sync_runs_request on sync_runs (sync_id, request_key) where request_key is not null;

alter table directory_changes
  drop constraint directory_changes_kind_check,
  add constraint directory_changes_kind_check
    check (kind in ('source','destination','write_key','identity_settings','profile_key','computed_traits','sync_token'));

create function note_sync_token_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('sync_token', array[new.id, old.id]);
  return null;
end $$;
create constraint trigger directory_sync_tokens
  after insert or delete or update of revoke_time on sync_tokens
  deferrable initially deferred for each row execute function note_sync_token_change();
`.execute(db)
}
