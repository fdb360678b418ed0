import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { joinUser } from '../lib/api/realtime.ts'
import { realtimeQuery } from '../lib/api/realtime-query.ts'
import { useSession } from '../lib/people/session.ts'
import { membershipsQuery, userQuery, workspacesQuery } from '../lib/queries/account-queries.ts'

/**
 * Reloads the user and their memberships whenever the live connection is established again. The gateway closes the
 * connection when a role, a membership or a session changes. So menus and buttons change without a page reload, and a
 * session that was ended elsewhere ends here, too.
 */
export const useLiveAccess = (): void => {
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const token = useSession((state) => state.accessToken)
  const key = useQuery(realtimeQuery()).data?.key
  const cache = useQueryClient()
  useEffect(() => {
    if (key === undefined || token === null || user === '') return
    const read = (): void => {
      for (const queryKey of [
        userQuery(user).queryKey,
        membershipsQuery(user).queryKey,
        workspacesQuery(user).queryKey,
      ])
        void cache.invalidateQueries({ queryKey })
    }
    let first = true
    return joinUser({
      key,
      token,
      onJoined() {
        // At the first connection, the page has just loaded the user and the memberships.
        if (!first) read()
        first = false
      },
      onRefused: read,
    })
  }, [key, token, user, cache])
}
