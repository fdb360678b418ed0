import { useQueryClient } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { call } from '../../lib/api/client.ts'
import { entryPaths, safeReturn } from '../../lib/entry-paths.ts'
import { useSession } from '../../lib/people/session.ts'
import { Spinner } from '../../ui/page/spinner.tsx'
import { forgetUser } from './forget-user.ts'

/**
 * Maximum time in ms to wait until the server has ended the session. After that, the browser removes the session in any
 * case.
 */
const patienceMs = 3000

/** Returns the page to open after signing out: the sign-in page, unless the state of the link has another path. */
const nextOf = (state: unknown): string => {
  const next = isRecord(state) && 'next' in state ? state.next : undefined
  return safeReturn(typeof next === 'string' ? next : undefined) ?? entryPaths.login()
}

/**
 * Ends the session on the server, forgets all data of the user, and goes to the sign-in page. A link can pass another
 * path as `next` in its state.
 */
export const LogoutPage = () => {
  const navigate = useNavigate()
  const { state }: { state: unknown } = useLocation()
  const cache = useQueryClient()
  const started = useRef(false)
  useEffect(() => {
    if (started.current) return
    started.current = true
    const ended =
      useSession.getState().accessToken === null
        ? Promise.resolve()
        : Promise.race([
            call(methods.users.logout, { body: {} }),
            new Promise((resolve) => {
              setTimeout(resolve, patienceMs)
            }),
          ])
    // The server may have ended the session already. The browser removes the session in any case.
    void Promise.resolve(ended)
      .catch(() => undefined)
      .then(() => {
        forgetUser(cache)
        return navigate(nextOf(state), { replace: true })
      })
  }, [cache, navigate, state])
  return (
    <main className="grid min-h-dvh place-items-center text-ink-3">
      <h1 className="sr-only">Signing out</h1>
      <Spinner size="lg" label="Signing out" />
    </main>
  )
}
