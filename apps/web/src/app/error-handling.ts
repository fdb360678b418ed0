import { ApiError, isSessionExpired } from '../lib/api/errors.ts'
import { notify } from '../ui/overlays/toast.tsx'

/**
 * Hears every failed call. An ended session is told once, however many calls fail together, then `toLogout` runs; a
 * status of 500 or more becomes a notification. Faults of the server and of the page are reported, refusals are not.
 * `signedIn` says whether a session is still held.
 */
export const createErrorListener = (deps: {
  signedIn: () => boolean
  toLogout: () => void
  notify: typeof notify
  report: (error: unknown) => void
}) => {
  let told = false
  return (error: unknown): void => {
    if (isSessionExpired(error)) {
      if (told || !deps.signedIn()) return
      told = true
      // The next session may end too.
      setTimeout(() => {
        told = false
      }, 5000)
      deps.notify('info', 'Your session has been expired, please login again')
      deps.toLogout()
      return
    }
    if (!(error instanceof ApiError) || error.status >= 500) deps.report(error)
    if (error instanceof ApiError && error.status >= 500) deps.notify('error', 'Error', { description: error.message })
  }
}
