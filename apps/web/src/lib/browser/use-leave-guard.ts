import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { useSession } from '../people/session.ts'

/** Asks users who leave or close the page with unsaved changes. */
export const useLeaveGuard = (dirty: boolean) => {
  useEffect(() => {
    if (!dirty) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [dirty])
  return useBlocker(
    ({ currentLocation, nextLocation }) =>
      // A signed-out user cannot save, so there is no question.
      dirty && currentLocation.pathname !== nextLocation.pathname && useSession.getState().accessToken !== null,
  )
}
