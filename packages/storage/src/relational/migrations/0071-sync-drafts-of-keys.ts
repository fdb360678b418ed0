import { type QueryExecutorProvider, sql } from 'kysely'

/** An API key has a draft of its own: that of whoever created it is not touched. It goes with the key. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table sync_drafts drop constraint sync_drafts_pkey;
alter table sync_drafts add column key_id uuid references api_keys on delete cascade;
create unique index sync_drafts_caller on sync_drafts (workspace_id, coalesce(key_id, user_id));
create index sync_drafts_key on sync_drafts (key_id);
`.execute(db)
}
