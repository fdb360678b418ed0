import { useQuery, useQueryClient } from '@tanstack/react-query'
import { parseSourceSchema, type SourceWithSchema } from '@tributary/contract'
import { useEffect, useMemo, useReducer, useState } from 'react'
import { sourceEventsQuery } from '../../lib/event-queries.ts'
import { sourceIds } from '../../lib/names.ts'
import { keys } from '../../lib/query-keys.ts'
import { type ConnectionState, joinChannel, liveMessage } from '../../lib/realtime.ts'
import { realtimeQuery } from '../../lib/server-queries.ts'
import { useSession } from '../../lib/session.ts'
import { ofLive, ofSummary } from './live-event.ts'
import { initialLive, liveReducer } from './live-events.ts'

/** Milliseconds between two reads of the list while the realtime connection is away. */
const pollMs = 5000

/** Milliseconds after which an event that the live channel did not bring is in the stored list. */
const storedMs = 2500

/**
 * The live list of a source: the newest 50 stored events, then what the live channel brings. The list is read again
 * after every join, once more when what came just before it is stored, after the server left events out, and every five
 * seconds while the connection is away, so that nothing is missed. The source is read again when an event comes that a
 * newer version of its schema has judged.
 */
export const useLiveEvents = ({ name: source, schema: { schema: text } }: SourceWithSchema) => {
  const schema = useMemo(() => parseSourceSchema(text), [text])
  const [state, dispatch] = useReducer(liveReducer, { ...initialLive, schema })
  const [connection, setConnection] = useState<ConnectionState>('initialized')
  const token = useSession((session) => session.accessToken)
  const cache = useQueryClient()
  const key = useQuery(realtimeQuery()).data?.key
  const stored = useQuery({
    ...sourceEventsQuery(source),
    refetchInterval: connection === 'connected' ? false : pollMs,
  })

  useEffect(() => dispatch({ type: 'schema', schema }), [schema])

  useEffect(() => {
    if (stored.data !== undefined) dispatch({ type: 'read', events: stored.data.map(ofSummary) })
  }, [stored.data])

  useEffect(() => {
    if (key === undefined || token === null) return
    const read = (): void => void cache.invalidateQueries({ queryKey: keys.events(source) })
    let later: ReturnType<typeof setTimeout> | undefined
    const readLater = (): void => {
      later ??= setTimeout(() => {
        later = undefined
        read()
      }, storedMs)
    }
    let newestVersion = 0
    const onVersion = (version: number): void => {
      if (version <= newestVersion) return
      newestVersion = version
      const known = cache.getQueryData<SourceWithSchema>(keys.source(source))?.schema.version ?? version
      if (version > known) void cache.invalidateQueries({ queryKey: keys.source(source) })
    }
    const leave = joinChannel({
      key,
      token,
      channel: `private-sources-${sourceIds(source).source}`,
      onState: setConnection,
      onJoined: () => {
        read()
        readLater()
      },
      event: 'events',
      onMessage: (data) => {
        const message = liveMessage.safeParse(data)
        if (!message.success) return
        const { events, skipped } = message.data
        dispatch({ type: 'received', events: events.map(ofLive), skipped })
        onVersion(Math.max(0, ...events.map(({ schemaVersion }) => schemaVersion ?? 0)))
        if (skipped > 0) readLater()
      },
    })
    return () => {
      clearTimeout(later)
      leave()
    }
  }, [key, token, source, cache])

  return { state, dispatch, connection, stored }
}

export type LiveEvents = ReturnType<typeof useLiveEvents>
