import type { QueryClient } from '@tanstack/react-query'
import { createContext } from 'react'

/**
 * Loads the cache of server state, for pages before sign-in, which cache nothing. It is in the code that the first key
 * loads.
 */
export const LoadCache = createContext<() => Promise<QueryClient>>(() => Promise.reject(new Error('there is no cache')))
