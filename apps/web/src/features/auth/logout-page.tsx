import { useQueryClient } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../../lib/client.ts'
import { paths } from '../../lib/paths.ts'
import { clearSession, useSession } from '../../lib/session.ts'
import { resetFlags, useUi } from '../../lib/ui-store.ts'
import { Spinner } from '../../ui/spinner.tsx'

/** Ends the session on the server, forgets everything stored for the user, and goes to the sign-in page. */
export const LogoutPage = () => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const started = useRef(false)
  useEffect(() => {
    if (started.current) return
    started.current = true
    const ended =
      useSession.getState().accessToken === null ? Promise.resolve() : call(methods.users.logout, { body: {} })
    // The session may be over already; the browser forgets it either way.
    void Promise.resolve(ended)
      .catch(() => undefined)
      .then(() => {
        clearSession()
        cache.clear()
        resetFlags()
        useUi.setState({ lastWorkspace: null })
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
