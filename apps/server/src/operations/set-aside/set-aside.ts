import { type Clock, formatRecordPlace, type Logger, newId, WorkHeld } from '@tributary/kernel'
import type { SetAside } from '@tributary/pipeline'
import {
  countRequestFailure,
  deleteOldRequests,
  forgetWorkItem,
  type Relational,
  setRequestAside,
} from '@tributary/storage'

/** Number of failures after which a request is set aside. */
const tries = 3
const gigabyte = 1024 ** 3
const maxErrorLength = 4000
/** Time in ms after which the failures of a request are deleted if the request was processed successfully later. */
const forgetMs = 24 * 3_600_000
/** Time after which a finished request is deleted, ms: no log has it any more. */
const forgetEndedMs = 90 * 24 * 3_600_000

/**
 * Stores, in PostgreSQL, the requests whose processing failed. Each failure is counted; a request is set aside at the
 * third one, or immediately if it is held. `load` must be called before anything else.
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
  /** Maximum bytes of all requests that are set aside. Above it, processing waits at the next request that fails. */
  maxBytes?: number
}): SetAside & { load(): Promise<void> } => {
  const places = new Set<string>()
  return {
    has: (record) => places.size > 0 && places.has(formatRecordPlace(record)),
    async load() {
      const now = clock()
      await deleteOldRequests(db, { failed: new Date(now - forgetMs), ended: new Date(now - forgetEndedMs) })
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
      const isHeld = error instanceof WorkHeld
      const description = isHeld
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error)
      const place = { partition: record.partition, record: record.offset, incarnation: record.incarnation }
      const failure = { error: description.replaceAll('\0', '').slice(0, maxErrorLength), fail_time: now }
      const { id, failures } = await countRequestFailure(db, {
        ...place,
        ...failure,
        id: newId(),
        key: record.key,
        meta: record.meta,
        bytes: record.body.byteLength,
        receive_time: new Date(record.time),
      })
      // A held request has blocked the thread, so it gets no further attempts.
      if (failures < tries && !isHeld) return
      if (!(await setRequestAside(db, { id, body: record.body, time: now, maxBytes }))) {
        logger.error({ ...place }, 'No more requests can be set aside: processing waits at one that fails')
        return
      }
      // From now on, only the list of set-aside requests shows this request.
      if (isHeld) await forgetWorkItem(db, `request ${formatRecordPlace(record)}`)
      logger.error({ id, ...place }, 'A request could not be processed and is set aside: see npm run set-aside')
    },
  }
}
