import { type Clock, formatRecordPlace, type Logger, newId } from '@tributary/kernel'
import type { SetAside } from '@tributary/pipeline'
import type { Relational } from '@tributary/storage'

/** How often processing may fail on a request until it is set aside. */
const tries = 3
const gigabyte = 1024 ** 3
const maxErrorLength = 4000
/** When a request is forgotten on which processing failed and then did not, ms. */
const forgetMs = 24 * 3_600_000
/** When one is forgotten that has ended, ms: no log holds it any more. */
const forgetEndedMs = 90 * 24 * 3_600_000

/**
 * Keeps requests in the relational store on which processing fails: each failure is counted, and at the third one a request is set aside.
 * `load` has to be called before anything else.
 */
export const createSetAside = ({
  db,
  clock,
  logger,
  maxBytes = gigabyte,
}: {
  db: Relational['db']
  clock: Clock
  logger: Logger
  /** What all of them may have: beyond it processing waits at the next one. */
  maxBytes?: number
}): SetAside & { load(): Promise<void> } => {
  const places = new Set<string>()
  return {
    has: (record) => places.size > 0 && places.has(formatRecordPlace(record)),
    async load() {
      const now = clock()
      await db
        .deleteFrom('set_aside_requests')
        .where((row) =>
          row.or([
            row.and([row('set_aside_time', 'is', null), row('fail_time', '<', new Date(now - forgetMs))]),
            row('end_time', '<', new Date(now - forgetEndedMs)),
          ]),
        )
        .execute()
      const rows = await db
        .selectFrom('set_aside_requests')
        .select(['partition', 'record', 'incarnation'])
        .where('set_aside_time', 'is not', null)
        .execute()
      places.clear()
      for (const { partition, record, incarnation } of rows)
        places.add(formatRecordPlace({ partition, offset: Number(record), incarnation }))
    },
    async failed(record, error) {
      const now = new Date(clock())
      const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
      const place = { partition: record.partition, record: record.offset, incarnation: record.incarnation }
      const failure = { error: told.replaceAll('\0', '').slice(0, maxErrorLength), fail_time: now }
      const { id, failures } = await db
        .insertInto('set_aside_requests')
        .values((row) => ({
          ...place,
          ...failure,
          id: newId(),
          workspace_id: row
            .selectFrom('workspaces')
            .select('workspaces.id')
            .where((of) => of(of.cast('workspaces.id', 'text'), '=', record.key)),
          key: record.key,
          meta: record.meta,
          body: null,
          bytes: record.body.byteLength,
          failures: 1,
          receive_time: new Date(record.time),
        }))
        .onConflict((conflict) =>
          conflict
            .columns(['partition', 'record', 'incarnation'])
            .doUpdateSet((row) => ({ ...failure, failures: row('set_aside_requests.failures', '+', 1) })),
        )
        .returning(['id', 'failures'])
        .executeTakeFirstOrThrow()
      if (failures < tries) return
      const { numUpdatedRows } = await db
        .updateTable('set_aside_requests')
        .set({ body: record.body, set_aside_time: now })
        .where('id', '=', id)
        .where((row) =>
          row(
            row
              .selectFrom('set_aside_requests as kept')
              .select((of) => of.fn.coalesce(of.fn.sum<number>('kept.bytes'), of.val(0)).as('bytes'))
              .where('kept.body', 'is not', null),
            '<=',
            maxBytes - record.body.byteLength,
          ),
        )
        .executeTakeFirst()
      if (numUpdatedRows === 0n) {
        logger.error({ ...place }, 'No more requests can be set aside: processing waits at one that fails')
        return
      }
      logger.error({ id, ...place }, 'A request could not be processed and is set aside: see npm run set-aside')
    },
  }
}
