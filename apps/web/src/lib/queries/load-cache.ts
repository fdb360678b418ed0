import type { QueryClient } from '@tanstack/react-query'
import { createContext } from 'react'

/**
 * Loads the cache of server state, for pages that stand before it: nobody is signed in there, and nothing is cached. It
 * comes with the rest of what follows the first key.
 */
export const LoadCache = createContext<() => Promise<QueryClient>>(() => Promise.reject(new Error('there is no cache')))
