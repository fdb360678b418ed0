import { type QueryExecutorProvider, sql } from 'kysely'

const statements = `
-- Destinations that a workspace describes itself.
create table own_connectors (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  -- The published version; 0 before the first one.
  current_version integer not null default 0,
  -- The description and guide that users edit. The description may have problems.
  draft_description text not null,
  draft_guide text not null,
  -- Increases with each change of the draft.
  draft_revision integer not null default 1,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create index own_connectors_workspace on own_connectors (workspace_id);

-- The published versions. They never change.
create table own_connector_versions (
  own_connector_id uuid not null references own_connectors on delete cascade,
  version integer not null,
  description text not null,
  guide text not null,
  -- What the catalog lists of it, as JSON.
  listing jsonb not null,
  note text not null,
  created_by uuid references users on delete set null,
  create_time timestamptz not null,
  primary key (own_connector_id, version)
);

-- Secrets that a user must enter again before anything is sent, because a published version sends them elsewhere.
alter table destinations add column secrets_to_enter text[] not null default '{}';
`

/** Adds destinations that workspaces describe themselves. There are none before. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql.raw(statements).execute(db)
}
