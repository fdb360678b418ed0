import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What kept the last time of a schedule from bringing a run is a state instead of a text. A sync whose predecessor is deleted, by
 * whatever deletes it, keeps that with the title of the other; this is checked at the commit, after the trigger. `schedule_told` and `told_stalled`:
 * people were notified. `next_run_from` is when the next time was worked out: a clock that shows less has gone backwards.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table syncs
  add column schedule_state text not null default 'on_time'
    check (schedule_state in ('on_time','not_ended','failed','canceled','deleted')),
  add column schedule_title text not null default '',
  add column schedule_told boolean not null default false,
  add column next_run_from timestamptz;
update syncs set
  schedule_state = case
    when schedule_note = 'The run before had not ended' then 'not_ended'
    when schedule_note like 'The run of % failed' then 'failed'
    else 'canceled' end,
  schedule_title = coalesce(substring(schedule_note from '^The run of (.*) (?:failed|was canceled)$'), '')
where schedule_note <> '';
alter table syncs drop column schedule_note;
alter table sync_runs add column told_stalled boolean not null default false;

alter table syncs
  drop constraint syncs_after_sync_id_fkey,
  add constraint syncs_after_sync_id_fkey foreign key (after_sync_id) references syncs deferrable initially deferred;
create function leave_followers() returns trigger language plpgsql as $$
begin
  update syncs set after_sync_id = null, schedule_state = 'deleted', schedule_title = old.title, schedule_told = false
    where after_sync_id = old.id;
  return null;
end $$;
create trigger syncs_leave_followers after delete on syncs for each row execute function leave_followers();
`.execute(db)
}
