import { entryPaths } from '../lib/entry-paths.ts'
import { reportError } from '../lib/integrations/error-reporting.ts'
import { rememberLocation, useSession } from '../lib/people/session.ts'
import { notify } from '../ui/overlays/toast.tsx'
import { createErrorListener } from './error-handling.ts'

let leave = (path: string): void => window.location.assign(path)

/** Sets the router's function for navigation that starts outside of React. */
export const setNavigator = (navigate: (path: string) => void): void => {
  leave = navigate
}

/** Receives every failed call of this page. */
export const onError = createErrorListener({
  notify,
  report: reportError,
  signedIn: () => useSession.getState().accessToken !== null,
  toLogout: () => {
    rememberLocation(window.location.pathname + window.location.search + window.location.hash)
    leave(entryPaths.logout())
  },
})
