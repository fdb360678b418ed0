import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Who is in an audience can be sent to a destination again: `run` counts how often, `run_time` is when it was asked for.
 *
 * `audience_farewells` are deleted users that destinations still count among an audience. Their identifiers are those of the request,
 * which are kept until destinations are told.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table audience_destinations add column run integer not null default 0;
alter table audience_destinations add column run_time timestamptz;

create table audience_farewells (
  request_id uuid not null references privacy_requests on delete cascade,
  connection_id uuid not null references audience_destinations on delete cascade,
  person integer not null,
  profile_id uuid not null,
  primary key (request_id, connection_id, profile_id)
);
create index audience_farewells_connection on audience_farewells (connection_id);
`.execute(db)
}
