import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query'
import { parseSourceSchema, type SourceWithSchema, schemaMessage, sourceChannel } from '@tributary/contract'
import { type Dispatch, type SetStateAction, useEffect, useMemo, useReducer, useState } from 'react'
import { eventPayloadsQuery, sourceEventsQuery } from '../../lib/event-queries.ts'
import { sourceIds } from '../../lib/names.ts'
import { keys } from '../../lib/query-keys.ts'
import { type ConnectionState, joinChannel, liveMessage, schemaChanged } from '../../lib/realtime.ts'
import { realtimeQuery } from '../../lib/server-queries.ts'
import { useSession } from '../../lib/session.ts'
import { sourceQuery } from '../../lib/workspace-queries.ts'
import { ofLive, ofSummary } from './live-event.ts'
import { initialLive, type LiveAction, type LiveState, liveReducer, unknownVerdicts } from './live-events.ts'
import { editsOf } from './use-edit-schema.ts'

/** Milliseconds between two reads of the list while the realtime connection is away. */
const pollMs = 5000

/** Milliseconds after which an event that the live channel did not bring is in the stored list. */
const storedMs = 2500

/**
 * Judges the events by the schema as it is now, also while a change of this page is on its way, and reads the source again
 * when somebody else has changed it. The answer hears of versions that exist.
 */
const useSchemaNow = (
  { name: source, schema: { schema: text, version } }: SourceWithSchema,
  dispatch: Dispatch<LiveAction>,
  live: boolean,
): Dispatch<SetStateAction<number>> => {
  const cache = useQueryClient()
  const schema = useMemo(() => parseSourceSchema(text), [text])
  const editing = useIsMutating({ mutationKey: editsOf(source) }) > 0
  const [newest, setNewest] = useState(version)
  useEffect(
    // What is shown while a change is under way is no version yet.
    () => dispatch({ type: 'schema', schema, version: editing ? undefined : version }),
    [dispatch, schema, version, editing],
  )
  useEffect(() => {
    if (newest > version && !editing) void cache.invalidateQueries({ queryKey: keys.source(source) })
  }, [cache, source, newest, version, editing])
  // Without the live channel nobody tells of a change.
  useQuery({ ...sourceQuery(source), refetchInterval: live || editing ? false : pollMs })
  return setNewest
}

/** Reads the payloads of the events of which nothing else tells how they fit; one that is not stored yet, later again. */
const useUnknownVerdicts = (source: string, state: LiveState, dispatch: Dispatch<LiveAction>): void => {
  const ids = useMemo(() => unknownVerdicts(state), [state])
  const { data } = useQuery({
    ...eventPayloadsQuery(source, ids),
    enabled: ids !== '',
    refetchInterval: storedMs,
  })
  useEffect(() => {
    if (data !== undefined && data.length > 0)
      dispatch({ type: 'detailed', events: data.map(({ event_id: eventId, payload }) => ({ eventId, payload })) })
  }, [data, dispatch])
}

/**
 * The live list of a source: the newest 50 stored events, then what the live channel brings. The list is read again
 * after every join, once more when what came just before it is stored, after the server left events out, and every five
 * seconds while the connection is away, so that nothing is missed. Events are judged by the schema as it is now, whoever
 * changes it.
 */
export const useLiveEvents = (watched: SourceWithSchema) => {
  const { name: source } = watched
  const [state, dispatch] = useReducer(liveReducer, watched, ({ schema: { schema, version } }) =>
    liveReducer(initialLive, { type: 'schema', schema: parseSourceSchema(schema), version }),
  )
  const [connection, setConnection] = useState<ConnectionState>('initialized')
  const token = useSession((session) => session.accessToken)
  const cache = useQueryClient()
  const key = useQuery(realtimeQuery()).data?.key
  const stored = useQuery({
    ...sourceEventsQuery(source),
    refetchInterval: connection === 'connected' ? false : pollMs,
  })
  const onVersion = useSchemaNow(watched, dispatch, connection === 'connected')
  useUnknownVerdicts(source, state, dispatch)

  useEffect(() => {
    if (stored.data === undefined) return
    dispatch({ type: 'read', events: stored.data.map(ofSummary) })
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
    let joined = false
    const leave = joinChannel({
      key,
      token,
      channel: sourceChannel(sourceIds(source).source),
      onState: setConnection,
      onJoined: () => {
        read()
        readLater()
        // It may have been changed while nobody could tell.
        if (joined) void cache.invalidateQueries({ queryKey: keys.source(source) })
        joined = true
      },
      on: {
        events: (data) => {
          const message = liveMessage.safeParse(data)
          if (!message.success) return
          const { events, skipped } = message.data
          dispatch({ type: 'received', events: events.map(ofLive), skipped })
          const newest = Math.max(0, ...events.map(({ schemaVersion }) => schemaVersion ?? 0))
          onVersion((known) => Math.max(known, newest))
          if (skipped > 0) readLater()
        },
        [schemaMessage]: (data) => {
          const message = schemaChanged.safeParse(data)
          if (message.success) onVersion((known) => Math.max(known, message.data.version))
        },
      },
    })
    return () => {
      clearTimeout(later)
      leave()
    }
  }, [key, token, source, cache, onVersion])

  return { state, dispatch, connection, stored }
}

export type LiveEvents = ReturnType<typeof useLiveEvents>
