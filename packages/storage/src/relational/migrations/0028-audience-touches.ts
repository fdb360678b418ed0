import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Profiles that something happened to, for workspaces with audiences. `transaction` is the id of the transaction that wrote a row: when
 * none below a number runs any more, all rows below it are seen. A row waits until the request at `log_offset` of a partition is
 * stored. `touched_before` of an audience says which of them it has taken into account; null until it was computed once. `whole_time` is when
 * all profiles were looked at last.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table audience_touches (
  id bigint generated always as identity primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  profiles uuid[] not null,
  transaction bigint not null default (pg_current_xact_id()::text::bigint),
  log_partition integer,
  log_offset bigint,
  time timestamptz not null default now()
);
create index audience_touches_next on audience_touches (workspace_id, transaction);
alter table audiences add column touched_before bigint, add column whole_time timestamptz;
`.execute(db)
}
