import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer, useState } from 'react'
import { sourceIds } from '../../lib/names.ts'
import { keys, realtimeQuery, sourceEventsQuery } from '../../lib/queries.ts'
import { type ConnectionState, joinChannel } from '../../lib/realtime.ts'
import { useSession } from '../../lib/session.ts'
import { initialLive, liveReducer, ofLive, ofSummary } from './live-events.ts'

/** Milliseconds between two reads of the list while the realtime connection is away. */
const pollMs = 5000

/**
 * The live list of a source: the newest 50 stored events, then what the live channel brings. After every join the list
 * is read again, and while the connection is away it is read every five seconds, so that nothing is missed.
 */
export const useLiveEvents = (source: string) => {
  const [state, dispatch] = useReducer(liveReducer, initialLive)
  const [connection, setConnection] = useState<ConnectionState>('initialized')
  const token = useSession((session) => session.accessToken)
  const cache = useQueryClient()
  const key = useQuery(realtimeQuery()).data?.key
  const stored = useQuery({
    ...sourceEventsQuery(source),
    refetchInterval: connection === 'connected' ? false : pollMs,
  })

  useEffect(() => {
    if (stored.data !== undefined) dispatch({ type: 'received', events: stored.data.map(ofSummary), skipped: 0 })
  }, [stored.data])

  useEffect(() => {
    if (key === undefined || token === null) return
    return joinChannel({
      key,
      token,
      channel: `private-sources-${sourceIds(source).source}`,
      onState: setConnection,
      onJoined: () => void cache.invalidateQueries({ queryKey: keys.events(source) }),
      onMessage: ({ events, skipped }) => dispatch({ type: 'received', events: events.map(ofLive), skipped }),
    })
  }, [key, token, source, cache])

  return { state, dispatch, connection, stored }
}

export type LiveEvents = ReturnType<typeof useLiveEvents>
