import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSessionExpired } from '../api/errors.ts'

/** Milliseconds before retry `failures` (0 = the first): 1 s doubling up to 30 s. */
export const retryDelay = (failures: number): number => Math.min(1000 * 2 ** failures, 30_000)

/** Milliseconds that query data is kept after its last use. */
export const keepMs = 5 * 60 * 1000

/**
 * What every query about the product adds: asked once, and not again because the window came to the front, nor because
 * the page appears whose loader has just asked in vain.
 */
export const product = { retry: false, retryOnMount: false, refetchOnWindowFocus: false } as const

/**
 * The cache of server state. `onError` hears every failed mutation, and of a query that fails again and again, because it
 * is asked every few seconds, the first failure until it has succeeded; of an ended session it always hears.
 */
export const createQueryClient = (onError: (error: unknown) => void): QueryClient => {
  const failing = new Map<string, string>()
  return new QueryClient({
    queryCache: new QueryCache({
      onError(error, { queryHash }) {
        const told = failing.get(queryHash) === error.message
        failing.set(queryHash, error.message)
        if (!told || isSessionExpired(error)) onError(error)
      },
      onSuccess: (_, { queryHash }) => void failing.delete(queryHash),
    }),
    mutationCache: new MutationCache({ onError: (error) => onError(error) }),
    defaultOptions: {
      // What the browser thinks of its network is no reason to wait: a call that was held back would say nothing, and be
      // sent later, when the person has long tried again.
      queries: { retry: 3, retryDelay, gcTime: keepMs, staleTime: 5_000, networkMode: 'always' },
      mutations: { retry: 0, networkMode: 'always' },
    },
  })
}
