import { type QueryExecutorProvider, sql } from 'kysely'

/** Workspaces that were deleted stay, empty, until nothing that was received for them is in any log, as organizations do. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table workspaces add column delete_time timestamptz, add column remove_time timestamptz;
create index workspaces_to_remove on workspaces (remove_time) where delete_time is not null;
`.execute(db)
}
