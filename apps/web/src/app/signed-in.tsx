import { useEffect, useRef } from 'react'
import { identify } from '../lib/analytics.ts'
import { useCurrentUser } from '../lib/workspace.ts'

/** Loads user and memberships wherever a session exists, and tells who it is once a session. */
export const SignedIn = () => {
  const { user } = useCurrentUser()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (user.data === undefined || known.current === user.data.name) return
    known.current = user.data.name
    identify(user.data)
  }, [user.data])
  return null
}
