import { ApiError, isSessionExpired } from '../lib/api/errors.ts'
import { notify } from '../ui/overlays/toast.tsx'

/**
 * Receives every failed call. An ended session is reported once, however many calls fail together; then `toLogout`
 * runs. A status of 500 or more becomes a notification. Faults of the server and of the page are sent to error
 * reporting, rejections are not. `signedIn` returns whether there is still a session.
 */
export const createErrorListener = (deps: {
  signedIn: () => boolean
  toLogout: () => void
  notify: typeof notify
  report: (error: unknown) => void
}) => {
  let isReported = false
  return (error: unknown): void => {
    if (isSessionExpired(error)) {
      if (isReported || !deps.signedIn()) return
      isReported = true
      // Reports again later, because the next session can end, too.
      setTimeout(() => {
        isReported = false
      }, 5000)
      deps.notify('info', 'Your session has been expired, please login again')
      deps.toLogout()
      return
    }
    if (!(error instanceof ApiError) || error.status >= 500) deps.report(error)
    if (error instanceof ApiError && error.status >= 500) deps.notify('error', 'Error', { description: error.message })
  }
}
