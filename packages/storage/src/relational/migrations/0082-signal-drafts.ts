import { type QueryExecutorProvider, sql } from 'kysely'

/** What somebody has entered of a signal that is not created yet; `draft` is a JSON text. An API key has one of its own, which goes with it. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table signal_drafts (
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null references users on delete cascade,
  key_id uuid references api_keys on delete cascade,
  draft text not null,
  update_time timestamptz not null
);
create unique index signal_drafts_caller on signal_drafts (workspace_id, coalesce(key_id, user_id));
create index signal_drafts_user on signal_drafts (user_id);
create index signal_drafts_key on signal_drafts (key_id);
`.execute(db)
}
