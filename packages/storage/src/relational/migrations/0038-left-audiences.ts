import { type QueryExecutorProvider, sql } from 'kysely'

/** Those who left audiences by time: what is kept of them has an end. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`create index audience_changes_left on audience_changes (time) where kind = 'left'`.execute(db)
}
