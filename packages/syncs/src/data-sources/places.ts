import { AppError } from '@tributary/kernel'
import { createQuerySlots, type QuerySlots } from '@tributary/storage'

/** Databases of companies that are asked at a time, and by one workspace: what waits for one that is slow delays no other. */
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

/** Calls that read audiences and profiles: each has one of the few connections to the product's own database. */
export const peopleReaders = 3

/** Places for calls that wait for databases of companies, by workspace, as ADR 22 has them for the event store. */
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
