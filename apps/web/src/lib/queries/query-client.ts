import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSessionExpired } from '../api/errors.ts'

/** Milliseconds before retry `failures` (0 = the first): 1 s doubling up to 30 s. */
export const retryDelay = (failures: number): number => Math.min(1000 * 2 ** failures, 30_000)

/** Milliseconds that query data is kept after its last use. */
export const keepMs = 5 * 60 * 1000

/**
 * The options of every query about the product: it runs once, and not again when the window gets the focus, nor when
 * the page appears whose loader just failed.
 */
export const product = { retry: false, retryOnMount: false, refetchOnWindowFocus: false } as const

/**
 * The cache of server state. `onError` receives every failed mutation. A query that fails repeatedly, since it is read
 * every few seconds, reports only its first failure until it succeeds. An ended session is always reported.
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
      // The browser's opinion of its network is ignored: a paused call would show nothing, and be sent long after the
      // user has tried again.
      queries: { retry: 3, retryDelay, gcTime: keepMs, staleTime: 5_000, networkMode: 'always' },
      mutations: { retry: 0, networkMode: 'always' },
    },
  })
}
