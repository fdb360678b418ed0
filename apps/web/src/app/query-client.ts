import { whenBack } from '../lib/api/reachability.ts'
import { createQueryClient } from '../lib/queries/query-client.ts'
import { onError } from './listen-to-errors.ts'

/** The cache of server state of this page. */
export const queryClient = createQueryClient(onError)

/**
 * Reloads queries that failed while the server was unreachable; after a long outage, reloads everything shown. The
 * returned function stops this.
 */
export const readAgainWhenBack = (): (() => void) =>
  whenBack((wasAway) => {
    void queryClient.refetchQueries({
      type: 'active',
      predicate: (query) => query.state.status === 'error' || (wasAway && query.isStale()),
    })
  })
