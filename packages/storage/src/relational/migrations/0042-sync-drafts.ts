import { type QueryExecutorProvider, sql } from 'kysely'

/** What somebody has chosen of a sync that is not created yet; `draft` is a JSON text. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table sync_drafts (
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null references users on delete cascade,
  draft text not null,
  update_time timestamptz not null,
  primary key (workspace_id, user_id)
);
create index sync_drafts_user on sync_drafts (user_id);
`.execute(db)
}
