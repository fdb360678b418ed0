import { type QueryExecutorProvider, sql } from 'kysely'

/** A sync may run at the times of a cron expression, or after another one, instead of at an interval. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table syncs
  add column cron text,
  add column cron_time_zone text,
  add column after_sync_id uuid references syncs on delete set null,
  add constraint syncs_schedule check (num_nonnulls(interval_minutes, cron, after_sync_id) <= 1),
  add constraint syncs_time_zone check ((cron is null) = (cron_time_zone is null));
create index syncs_after on syncs (after_sync_id);
alter table sync_runs
  drop constraint sync_runs_trigger_check,
  add constraint sync_runs_trigger_check check (trigger in ('manual','schedule','after'));
`.execute(db)
}
