import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Accepted requests on which processing failed, by their place in the log. With `set_aside_time` processing passes over one, and its body is here until its
 * `end_time`: then it was appended again (after `take_back`), or given up. A request of a workspace that is gone has none.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table set_aside_requests (
  id uuid primary key,
  partition integer not null,
  record bigint not null,
  incarnation text not null,
  workspace_id uuid references workspaces on delete cascade,
  key text not null,
  meta text not null,
  body bytea,
  bytes integer not null,
  failures integer not null,
  error text not null,
  receive_time timestamptz not null,
  fail_time timestamptz not null,
  set_aside_time timestamptz,
  take_back boolean not null default false,
  end_time timestamptz,
  unique (partition, record, incarnation)
);
create index set_aside_requests_workspace on set_aside_requests (workspace_id);
`.execute(db)
}
