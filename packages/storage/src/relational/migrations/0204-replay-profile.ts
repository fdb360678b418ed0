import { type QueryExecutorProvider, sql } from 'kysely'

/** Adds the choice whether a replay uses profiles. Existing replays use the latest ones. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
    alter table replays
      -- What mappings get of profiles: the latest values ('latest'), or none ('none').
      add column profile text not null default 'latest'`.execute(db)
}
