import { whenBack } from '../lib/api/reachability.ts'
import { createQueryClient } from '../lib/queries/query-client.ts'
import { onError } from './listen-to-errors.ts'

/** The cache of server state of this page. */
export const queryClient = createQueryClient(onError)

/** Reads again what failed while the server was away, and after a long while all that is shown. The answer ends it. */
export const readAgainWhenBack = (): (() => void) =>
  whenBack((wasAway) => {
    void queryClient.refetchQueries({
      type: 'active',
      predicate: (query) => query.state.status === 'error' || (wasAway && query.isStale()),
    })
  })
