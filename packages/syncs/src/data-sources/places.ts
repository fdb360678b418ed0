import { AppError } from '@tributary/kernel'
import { createQuerySlots, type QuerySlots } from '@tributary/storage'

/** Maximum number of queries to customers' databases at a time. */
const places = 32
/**
 * Maximum number of these queries of one workspace, so that calls that wait for a slow database do not delay others.
 */
const perWorkspace = 2

const refusal = (own: boolean): AppError =>
  own
    ? new AppError(429, 'WORKSPACE_BUSY', 'This workspace has too many queries running. Try again in a moment', {
        retry_after: '2',
      })
    : new AppError(503, 'UNAVAILABLE', 'Too many databases are being queried. Try again in a moment', {
        retry_after: '2',
      })

export type DataSourcePlaces = QuerySlots<number>

/**
 * Maximum concurrent calls that read audiences and profiles. Each uses one of the few connections to the product's own
 * database.
 */
export const peopleReaders = 3

/**
 * Creates slots for calls to customers' databases. Each workspace has its own limit, as in the slots for the event
 * store (ADR 22).
 */
export const createDataSourcePlaces = (length = places): DataSourcePlaces =>
  createQuerySlots(
    Array.from({ length }, (_, index) => index),
    {
      perKey: perWorkspace,
      maxQueue: 100,
      maxQueuePerKey: 8,
      maxWaitMs: 20_000,
      refuse: (_, own) => refusal(own),
    },
  )
