import type { FlagContext } from '@tributary/contract'
import { useEffect, useRef } from 'react'
import { useMatch } from 'react-router'
import { identify } from '../lib/integrations/analytics.ts'
import { createFlagClient } from '../lib/integrations/flag-client.ts'
import { flagContext } from '../lib/integrations/flags.ts'
import { patterns } from '../lib/paths.ts'
import { useSession } from '../lib/people/session.ts'
import { useCurrentUser } from '../lib/workspace.ts'
import { Queries } from './routes/with-queries.tsx'

const askFlags = createFlagClient({
  baseUrl: window.location.origin,
  token: () => useSession.getState().accessToken,
  fetch: (...given) => fetch(...given),
})

const Known = () => {
  const { user } = useCurrentUser()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (user.data === undefined || known.current === user.data.name) return
    known.current = user.data.name
    identify(user.data)
  }, [user.data])

  const session = useSession()
  const workspaceId = useMatch(`/${patterns.workspace}/*`)?.params.workspaceId
  const context = JSON.stringify(flagContext(session, workspaceId))
  useEffect(() => {
    const asked: FlagContext = JSON.parse(context)
    void askFlags(asked)
  }, [context])
  return null
}

/**
 * Wraps all pages with a session: loads user and memberships, identifies the user once per session, and loads the
 * user's flags.
 */
export const SignedIn = () => (
  <Queries>
    <Known />
  </Queries>
)
