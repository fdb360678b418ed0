import { type QueryExecutorProvider, sql } from 'kysely'

const statements = `
alter table parked_deliveries
  -- By event ID, the values of the profile with which the event was mapped first; null if it used none.
  add column profile jsonb
`

/** Adds the values of profiles that parked events were mapped with. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql.raw(statements).execute(db)
}
