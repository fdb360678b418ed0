import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What deleted workspaces had used of a period, by day: it is counted before their events go. Of those that are deleted already nothing is
 * left to count.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table workspaces add column usage_kept_time timestamptz;
update workspaces set usage_kept_time = delete_time where delete_time is not null;
update workspaces w set usage_kept_time = o.delete_time from organizations o
where o.id = w.organization_id and o.delete_time is not null and w.usage_kept_time is null;

create table kept_usage (
  organization_id uuid not null references organizations on delete cascade,
  workspace_id uuid not null,
  period_start_time timestamptz not null,
  day timestamptz not null,
  events bigint not null,
  profiles bigint not null,
  primary key (organization_id, period_start_time, workspace_id, day)
);
`.execute(db)
}
