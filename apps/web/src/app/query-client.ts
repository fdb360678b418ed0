import { reportError } from '../lib/error-reporting.ts'
import { paths } from '../lib/paths.ts'
import { createQueryClient } from '../lib/query-client.ts'
import { followNetwork, whenBack } from '../lib/reachability.ts'
import { rememberLocation, useSession } from '../lib/session.ts'
import { notify } from '../ui/toast.tsx'
import { createErrorListener } from './error-handling.ts'

let leave = (path: string): void => window.location.assign(path)

/** Lets the router take over navigation that starts outside of it. */
export const setNavigator = (navigate: (path: string) => void): void => {
  leave = navigate
}

/** The cache of server state of this page. */
export const queryClient = createQueryClient(
  createErrorListener({
    notify,
    report: reportError,
    signedIn: () => useSession.getState().accessToken !== null,
    toLogout: () => {
      rememberLocation(window.location.pathname + window.location.search + window.location.hash)
      leave(paths.logout())
    },
  }),
)

/** Reads again what failed while the server was away, and after a long while all that is shown. The answer ends it. */
export const readAgainWhenBack = (): (() => void) => {
  const leave = followNetwork(window)
  const stop = whenBack((wasAway) => {
    void queryClient.refetchQueries({
      type: 'active',
      predicate: (query) => query.state.status === 'error' || (wasAway && query.isStale()),
    })
  })
  return () => {
    leave()
    stop()
  }
}
