import type { QueryClient } from '@tanstack/react-query'
import { createContext } from 'react'

/**
 * Loads the cache of server state, for pages before sign-in, which cache nothing. Its code is loaded when the user
 * types the first key.
 */
export const LoadCache = createContext<() => Promise<QueryClient>>(() => Promise.reject(new Error('there is no cache')))
