import { type LoaderFunctionArgs, redirect } from 'react-router'
import { entryPaths } from '../../lib/entry-paths.ts'
import { rememberLocation, useSession } from '../../lib/people/session.ts'

/** Redirects a visitor without a session to the login page, and stores the requested page. */
export const signedIn = ({ request }: Pick<LoaderFunctionArgs, 'request'>): null | Response => {
  if (useSession.getState().accessToken !== null) return null
  const { pathname, search } = new URL(request.url)
  // A request does not contain the hash. The address bar contains it if the visit begins with this page.
  const hash = window.location.pathname === pathname ? window.location.hash : ''
  rememberLocation(pathname + search + hash)
  return redirect(entryPaths.login())
}

/** Redirects a signed-in user to their first page. */
export const signedOut = (): null | Response =>
  useSession.getState().accessToken === null ? null : redirect(entryPaths.root())
