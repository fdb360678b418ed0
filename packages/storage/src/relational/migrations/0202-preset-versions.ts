import { type QueryExecutorProvider, sql } from 'kysely'

/** Adds the version of presets to destinations. Existing ones keep the presets of version 0.2.0. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
    alter table destinations
      -- The version of the app's presets that the destination uses: that of its creation, or of a later choice.
      add column preset_version integer not null default 1`.execute(db)
}
