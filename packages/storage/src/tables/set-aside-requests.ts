// Every statement that writes `set_aside_requests`. The pipeline sets aside requests that fail. The server and the API
// mark them to be processed again.
import type { Insertable, Kysely, Transaction } from 'kysely'
import type { Database, SetAsideRequestsTable } from '../relational/schema.generated.ts'

type Db = Kysely<Database>

/** A failure of a request. The request is identified by its position in the log. */
export type RequestFailure = Pick<
  Insertable<SetAsideRequestsTable>,
  'partition' | 'record' | 'incarnation' | 'key' | 'meta' | 'bytes' | 'receive_time'
> & {
  /** The ID of the row, if the request has none yet. */
  id: string
  error: string
  fail_time: Date
}

/** Counts a failure of a request; resolves to its ID and the number of failures. */
export const countRequestFailure = (
  db: Db,
  { error, fail_time, ...request }: RequestFailure,
): Promise<{ id: string; failures: number }> =>
  db
    .insertInto('set_aside_requests')
    .values((row) => ({
      ...request,
      error,
      fail_time,
      workspace_id: row
        .selectFrom('workspaces')
        .select('workspaces.id')
        .where((of) => of(of.cast('workspaces.id', 'text'), '=', request.key)),
      body: null,
      failures: 1,
    }))
    .onConflict((conflict) =>
      conflict
        .columns(['partition', 'record', 'incarnation'])
        .doUpdateSet((row) => ({ error, fail_time, failures: row('set_aside_requests.failures', '+', 1) })),
    )
    .returning(['id', 'failures'])
    .executeTakeFirstOrThrow()

/**
 * Sets a request aside with its body, if all stored bodies have at most `maxBytes` together. Returns false if the body
 * does not fit.
 */
export const setRequestAside = async (
  db: Db,
  { id, body, time, maxBytes }: { id: string; body: Uint8Array; time: Date; maxBytes: number },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('set_aside_requests')
    .set({ body, set_aside_time: time })
    .where('id', '=', id)
    .where((row) =>
      row(
        row
          .selectFrom('set_aside_requests as kept')
          .select((of) => of.fn.coalesce(of.fn.sum<number>('kept.bytes'), of.val(0)).as('bytes'))
          .where('kept.body', 'is not', null),
        '<=',
        maxBytes - body.byteLength,
      ),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Deletes requests that failed before a time and were not set aside, and set-aside requests that ended before another
 * time.
 */
export const deleteOldRequests = async (db: Db, before: { failed: Date; ended: Date }): Promise<void> => {
  await db
    .deleteFrom('set_aside_requests')
    .where((row) =>
      row.or([
        row.and([row('set_aside_time', 'is', null), row('fail_time', '<', before.failed)]),
        row('end_time', '<', before.ended),
      ]),
    )
    .execute()
}

/** Marks one set-aside request, or all of them, to be processed again. Resolves to their number. */
export const markForRetry = async (db: Db, id: string | undefined): Promise<number> => {
  const { numUpdatedRows } = await db
    .updateTable('set_aside_requests')
    .set({ take_back: true })
    .where('body', 'is not', null)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/**
 * Marks a set-aside request of a workspace to be processed again. Returns false if no such request is set aside, or it
 * is already marked.
 */
export const markOwnForRetry = async (tx: Transaction<Database>, workspaceId: string, id: string): Promise<boolean> => {
  const request = await tx
    .updateTable('set_aside_requests')
    .set({ take_back: true })
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('body', 'is not', null)
    .where('take_back', '=', false)
    .returning('id')
    .executeTakeFirst()
  return request !== undefined
}

/** Ends a set-aside request that was appended again or discarded: its body is removed. */
export const endSetAside = async (db: Db, id: string, time: Date): Promise<void> => {
  await db.updateTable('set_aside_requests').set({ body: null, end_time: time }).where('id', '=', id).execute()
}
