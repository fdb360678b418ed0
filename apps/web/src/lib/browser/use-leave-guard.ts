import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { useSession } from '../people/session.ts'

/** Holds people back who leave the page, or close it, while something is not saved. */
export const useLeaveGuard = (dirty: boolean) => {
  useEffect(() => {
    if (!dirty) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [dirty])
  return useBlocker(
    ({ currentLocation, nextLocation }) =>
      // Who is signed out cannot save any more.
      dirty && currentLocation.pathname !== nextLocation.pathname && useSession.getState().accessToken !== null,
  )
}
