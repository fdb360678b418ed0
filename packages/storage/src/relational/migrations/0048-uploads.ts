import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Files that were uploaded for data sources. One of a data source is in force; the bytes of the others are gone. `columns` and
 * `settings` are JSON texts: what it has, read with these settings.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table data_source_uploads (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  data_source_id uuid not null references data_sources on delete cascade,
  user_id uuid references users on delete set null,
  file_name text not null,
  bytes bigint not null,
  rows bigint not null,
  columns text not null,
  settings text not null,
  replaced boolean not null default false,
  create_time timestamptz not null
);
create unique index data_source_uploads_current on data_source_uploads (data_source_id) where not replaced;
create index data_source_uploads_history on data_source_uploads (data_source_id, create_time, id);
`.execute(db)
}
