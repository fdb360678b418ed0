import type { Handlers } from '@tributary/http'
import { AppError, badRequest, type Clock } from '@tributary/kernel'
import {
  BlobsUnavailable,
  EventStoreBusy,
  EventStoreLimitExceeded,
  EventStoreUnavailable,
  isRelationalUnavailable,
  LogOverloaded,
  LogUnavailable,
  type QueryLimit,
} from '@tributary/storage'
import { withContext } from './request-context.ts'

const narrow = 'Choose a shorter time range, one source, or one event name'
const limitTexts: Record<QueryLimit, string> = {
  time: `This query took too long. ${narrow}, or try again later`,
  memory: `This query needs too much memory. ${narrow}`,
  bytes: `This query reads too many events. ${narrow}`,
}

/**
 * Converts an error of a store to an API error. It is 503 if a store is unavailable, so that clients retry. It is 429
 * for a workspace with too many running queries, and 400 for a query beyond its limits. Any other error is unchanged.
 */
export const asApiError = (error: unknown): unknown => {
  if (error instanceof EventStoreBusy)
    return new AppError(429, 'WORKSPACE_BUSY', 'This workspace has too many queries running. Try again in a moment', {
      retry_after: '2',
    })
  if (error instanceof EventStoreLimitExceeded) return badRequest('QUERY_TOO_LARGE', limitTexts[error.limit])
  if (error instanceof EventStoreUnavailable)
    return new AppError(503, 'UNAVAILABLE', 'The event store is starting or busy; try again in a moment', {
      retry_after: '2',
    })
  if (isRelationalUnavailable(error))
    return new AppError(503, 'UNAVAILABLE', 'The database is starting or busy; try again in a moment', {
      retry_after: '2',
    })
  if (error instanceof LogUnavailable || error instanceof LogOverloaded)
    return new AppError(503, 'UNAVAILABLE', "The event log can't accept writes right now. Try again in a moment", {
      retry_after: '2',
    })
  if (error instanceof BlobsUnavailable)
    return new AppError(503, 'UNAVAILABLE', "Pictures can't be stored right now. Try again in a moment", {
      retry_after: '5',
    })
  return error
}

/** Wraps a function, so that its errors become API errors. */
export const guarded =
  <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    try {
      return await run(...args)
    } catch (error) {
      throw asApiError(error)
    }
  }

/**
 * Wraps all handlers, so that their errors become API errors and each runs in the context of its call. The types are
 * correct, because groups and verbs are unchanged, and `guarded` and `withContext` keep each signature.
 */
export const guardAll = (handlers: Handlers, { clock }: { clock: Clock }): Handlers => {
  const all: Record<string, Record<string, unknown>> = {}
  for (const [group, verbs] of Object.entries(handlers)) {
    const guardedVerbs: Record<string, unknown> = {}
    for (const [verb, run] of Object.entries(verbs))
      guardedVerbs[verb] = guarded(withContext({ method: `${group}.${verb}`, clock }, run))
    all[group] = guardedVerbs
  }
  return all as typeof all & Handlers
}
