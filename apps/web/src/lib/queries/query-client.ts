import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSessionExpired } from '../api/errors.ts'

/** Returns the pause in ms before the retry after `failures` failures (starting with 0): 1 s, doubling up to 30 s. */
export const retryDelay = (failures: number): number => Math.min(1000 * 2 ** failures, 30_000)

/** Time in ms for which the data of a query is kept after its last use. */
export const keepMs = 5 * 60 * 1000

/**
 * The options of every query about the product. A query runs once: not again when it fails, when the window gets the
 * focus, or when the page appears whose loader has just failed.
 */
export const product = { retry: false, retryOnMount: false, refetchOnWindowFocus: false } as const

/**
 * Creates the cache of server state. `onError` receives every failed mutation. A query that is repeated every few
 * seconds and keeps failing reports only its first failure until it succeeds. An ended session is always reported.
 */
export const createQueryClient = (onError: (error: unknown) => void): QueryClient => {
  const failing = new Map<string, string>()
  return new QueryClient({
    queryCache: new QueryCache({
      onError(error, { queryHash }) {
        const isReported = failing.get(queryHash) === error.message
        failing.set(queryHash, error.message)
        if (!isReported || isSessionExpired(error)) onError(error)
      },
      onSuccess: (_, { queryHash }) => void failing.delete(queryHash),
    }),
    mutationCache: new MutationCache({ onError: (error) => onError(error) }),
    defaultOptions: {
      // Calls are sent even if the browser considers itself offline: a paused call would show nothing, and would be
      // sent long after the user has tried again.
      queries: { retry: 3, retryDelay, gcTime: keepMs, staleTime: 5_000, networkMode: 'always' },
      mutations: { retry: 0, networkMode: 'always' },
    },
  })
}
