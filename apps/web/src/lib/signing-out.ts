import type { QueryClient } from '@tanstack/react-query'
import { keys } from './queries.ts'

const listeners = new Set<() => void>()

/** Runs `forget` at every sign-out: for parts that hold something about the user outside of session and query cache. */
export const onSignOut = (forget: () => void): void => {
  listeners.add(forget)
}

/** Lets every part forget the user. One that fails does not keep the others from it. */
export const tellSignOut = (): void => {
  for (const forget of listeners)
    try {
      forget()
    } catch (error) {
      console.error(error)
    }
}

/** Empties the cache of server state but for what is the same for everybody. */
export const forgetServerState = (cache: QueryClient): void => {
  const [config] = keys.config()
  cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== config })
  cache.getMutationCache().clear()
}
