import { type QueryExecutorProvider, sql } from 'kysely'

/** What audiences were called and asked for, by the version that had it; who of before is only known of the last change. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table audience_versions (
  audience_id uuid not null references audiences on delete cascade,
  version integer not null,
  title text not null,
  query text not null,
  restored_version integer,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  primary key (audience_id, version)
);
insert into audience_versions (audience_id, version, title, query, author_id, create_time)
select id, version, title, query, author_id, update_time from audiences;
`.execute(db)
}
