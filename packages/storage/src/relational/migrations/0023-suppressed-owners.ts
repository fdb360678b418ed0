import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * What the event store knows identifiers of suppressed users by (the column `owner` of its events), so that their events
 * count for nobody: keyed hashes cannot be compared with it. A row holds while the hash it belongs to is suppressed.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table suppressed_owners (
  workspace_id uuid not null,
  hash text collate "C" not null,
  owner numeric(20) not null,
  primary key (workspace_id, hash),
  foreign key (workspace_id, hash) references privacy_hashes on delete cascade
);
`.execute(db)
}
