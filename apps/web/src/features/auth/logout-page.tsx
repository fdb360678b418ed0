import { useQueryClient } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../../lib/client.ts'
import { paths } from '../../lib/paths.ts'
import { useSession } from '../../lib/session.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { forgetUser } from './forget-user.ts'

/** Milliseconds that the server gets to end the session before the browser forgets it anyway. */
const patienceMs = 3000

/** Ends the session on the server, forgets everything stored for the user, and goes to the sign-in page. */
export const LogoutPage = () => {
  const navigate = useNavigate()
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
    // The session may be over already; the browser forgets it either way.
    void Promise.resolve(ended)
      .catch(() => undefined)
      .then(() => {
        forgetUser(cache)
        return navigate(paths.login(), { replace: true })
      })
  }, [cache, navigate])
  return (
    <main className="grid min-h-dvh place-items-center text-ink-3">
      <h1 className="sr-only">Signing out</h1>
      <Spinner size="lg" label="Signing out" />
    </main>
  )
}
