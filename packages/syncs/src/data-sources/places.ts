import { AppError } from '@tributary/kernel'
import { createQuerySlots, type QuerySlots } from '@tributary/storage'

/**
 * Maximum customers' databases that are queried at a time, in total and by one workspace. Calls that wait for a slow
 * database do not delay others.
 */
const places = 32
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

/** Creates slots for calls to customers' databases, per workspace, like those of ADR 22 for the event store. */
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
