import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Workspaces that are in more than one partition, or were: `spread` is over how many now, `widest` over how many ever. While `next`
 * is given it is being changed, and from `pause_time` on nothing of the workspace is accepted until it is. What changes is a change of the
 * directory, and of the workspace's destinations.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table workspace_spreads (
  workspace_id uuid primary key references workspaces on delete cascade,
  spread integer not null default 1 check (spread > 0),
  widest integer not null default 1 check (widest >= spread),
  next integer check (next > 0 and next <= widest),
  change_time timestamptz not null,
  pause_time timestamptz,
  problem text not null default ''
);

create function note_workspace_spread_change() returns trigger language plpgsql as $$
begin
  update directory_version set version = version + 1, changed_by = txid_current()
    where changed_by <> txid_current();
  if found then
    perform pg_notify('directory_changed', '');
  end if;
  perform note_directory_objects('destination', array(
    select id from destinations where workspace_id = coalesce(new.workspace_id, old.workspace_id)));
  return null;
end $$;
create constraint trigger directory_workspace_spreads
  after insert or delete or update of spread, widest, next, pause_time on workspace_spreads
  deferrable initially deferred for each row execute function note_workspace_spread_change();
`.execute(db)
}
