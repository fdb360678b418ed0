// Contains every statement that writes `refused_requests`. The API counts the requests that collection refused; erasure
// clears samples.
import type { RefusedRequestsTable } from '@tributary/storage'
import { type Insertable, sql } from 'kysely'
import type { Db } from './db.ts'

/** Adds counts of an hour to the counts of the same source, key and reason. The latest sample is kept. */
export const countRefusals = async (db: Db, rows: readonly Insertable<RefusedRequestsTable>[]): Promise<void> => {
  await db
    .insertInto('refused_requests')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .expression(sql`coalesce(source_id, '00000000-0000-0000-0000-000000000000'), key_hint, reason, hour`)
        .doUpdateSet({
          count: sql`refused_requests.count + excluded.count`,
          last_time: sql`greatest(refused_requests.last_time, excluded.last_time)`,
          message: sql`excluded.message`,
          sample: sql`case when excluded.sample = '' then refused_requests.sample else excluded.sample end`,
        }),
    )
    .execute()
}

/** Removes samples that contain a value of a user, plain or escaped as in JSON. */
export const clearRefusedSamples = async (db: Db, workspaceId: string, values: readonly string[]): Promise<void> => {
  const written = new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))
  await sql`update refused_requests set sample = '' where workspace_id = ${workspaceId}::uuid
    and exists (select from unnest(${[...written]}::text[]) as named (value) where position(named.value in sample) > 0)
    `.execute(db)
}

/** Deletes the counts of the hours before a time. */
export const deleteOldRefusals = async (db: Db, before: Date): Promise<void> => {
  await db.deleteFrom('refused_requests').where('hour', '<', before).execute()
}
