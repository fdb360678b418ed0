import type { Handlers } from '@tributary/http'
import { AppError } from '@tributary/kernel'
import { EventStoreUnavailable, isRelationalUnavailable, LogOverloaded, LogUnavailable } from '@tributary/storage'

/** 503 when a store is away, so that clients try again; everything else stays what it is. */
export const asApiError = (error: unknown): unknown => {
  if (error instanceof EventStoreUnavailable)
    return new AppError(503, 'UNAVAILABLE', 'The event store is starting or busy; try again in a moment', {
      retry_after: '2',
    })
  if (isRelationalUnavailable(error))
    return new AppError(503, 'UNAVAILABLE', 'The database is starting or busy; try again in a moment', {
      retry_after: '2',
    })
  if (error instanceof LogUnavailable || error instanceof LogOverloaded)
    return new AppError(503, 'UNAVAILABLE', 'The log takes nothing at the moment; try again in a moment', {
      retry_after: '2',
    })
  return error
}

/** The same function, its failures turned into the API's. */
export const guarded =
  <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    try {
      return await run(...args)
    } catch (error) {
      throw asApiError(error)
    }
  }

/** The same handlers, guarded. Sound because the groups and verbs stay and `guarded` keeps each one's signature. */
export const guardAll = (handlers: Handlers): Handlers => {
  const all: Record<string, Record<string, unknown>> = {}
  for (const [group, verbs] of Object.entries(handlers))
    all[group] = Object.fromEntries(Object.entries(verbs).map(([verb, run]) => [verb, guarded(run)]))
  return all as typeof all & Handlers
}
