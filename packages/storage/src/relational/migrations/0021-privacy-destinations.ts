import { type QueryExecutorProvider, sql } from 'kysely'

/** Which destinations are told of which users of a privacy request, and what became of it. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table privacy_identifiers add column person integer not null default 0;

create table privacy_tellings (
  request_id uuid not null references privacy_requests on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  person integer not null,
  state text not null check (state in ('waiting','sent','done','failed')),
  reason text not null default '',
  primary key (request_id, destination_id, person)
);
create index privacy_tellings_open on privacy_tellings (request_id) where state <> 'done';
`.execute(db)
}
