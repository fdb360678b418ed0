import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Syncs of the workspace's own profiles that may have rows of deleted people, with the keys that these can have. They lie here only until
 * the rows are gone. `swept_run` is the run up to which they were removed.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table privacy_syncs (
  request_id uuid not null references privacy_requests on delete cascade,
  sync_id uuid not null references syncs on delete cascade,
  keys text[] not null,
  swept_run integer,
  primary key (request_id, sync_id)
);
create index privacy_syncs_sync on privacy_syncs (sync_id);
`.execute(db)
}
