import { type QueryExecutorProvider, sql } from 'kysely'

/** Held events that are being counted as removed, as JSON: written down before they are counted where people look for them. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`alter table plan_usage add column removing text`.execute(db)
}
