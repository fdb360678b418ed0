import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Databases of companies, and what is read from them. `query` and `columns` are JSON texts, whose order stays. A data source
 * goes with its models and its secrets.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table data_sources (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  app text not null,
  settings jsonb not null default '{}',
  secrets_encrypted bytea,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create index data_sources_workspace on data_sources (workspace_id, create_time, id);

create table models (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  data_source_id uuid not null references data_sources on delete cascade,
  title text not null,
  query text not null,
  primary_key text[] not null,
  columns text not null,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create index models_workspace on models (workspace_id, create_time, id);
create index models_data_source on models (data_source_id);
`.execute(db)
}
