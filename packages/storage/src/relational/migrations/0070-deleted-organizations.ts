import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Organizations that were deleted stay, empty, until nothing that was received for them is in any log: rows of their workspaces are what
 * a consumer that is behind still refers to.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table organizations add column delete_time timestamptz, add column remove_time timestamptz;
create index organizations_to_remove on organizations (remove_time) where delete_time is not null;
`.execute(db)
}
