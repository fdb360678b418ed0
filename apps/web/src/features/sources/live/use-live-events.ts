import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods, parseSourceSchema, type SourceWithSchema, schemaMessage, sourceChannel } from '@tributary/contract'
import { type Dispatch, type SetStateAction, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'
import { type ConnectionState, joinChannel, liveMessage, schemaChanged } from '../../../lib/api/realtime.ts'
import { realtimeQuery } from '../../../lib/api/realtime-query.ts'
import { sourceIds } from '../../../lib/format/names.ts'
import { useSession } from '../../../lib/people/session.ts'
import { query } from '../../../lib/queries/query.ts'
import { sourceQuery } from '../../../lib/queries/workspace-queries.ts'
import { editsOf } from '../schema/use-edit-schema.ts'
import { createFrameBatch } from './frame-batch.ts'
import { ofLive, ofSummary } from './live-event.ts'
import { initialLive, type LiveAction, type LiveState, liveReducer, neededPayloads } from './live-events.ts'
import { createReread, type Reread } from './live-reread.ts'
import { useLiveView } from './live-view.ts'

/** The newest 50 events of a source. */
const sourceEventsQuery = (source: string) =>
  query(
    methods.events.listBySource,
    { params: sourceIds(source), query: { page_size: 50 } },
    { staleTime: 0, read: ({ events }) => events },
  )

/** The payloads of events of a source, by their IDs joined by commas; those that are not stored yet are omitted. */
const eventPayloadsQuery = (source: string, ids: string) =>
  query(
    methods.events.batchGetBySource,
    { params: sourceIds(source), query: { event_ids: ids } },
    { staleTime: 0, gcTime: 0, read: ({ events }) => events },
  )

/** Time in ms between two loads of the list while there is no realtime connection. */
const pollMs = 5000

/** Time in ms after which the stored list contains an event that the live channel omitted. */
const storedMs = 2500

/**
 * Validates the events by the current schema, even while a change on this page is being saved. It reloads the source if
 * another user has changed the schema: the caller passes the versions of new events to the returned function.
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
    // While a schema is being saved, it has no version yet.
    () => dispatch({ type: 'schema', schema, version: editing ? undefined : version }),
    [dispatch, schema, version, editing],
  )
  useEffect(() => {
    if (newest > version && !editing) void cache.invalidateQueries({ queryKey: sourceQuery(source).queryKey })
  }, [cache, source, newest, version, editing])
  // Without the live channel, no message reports a change of the schema, so the source is polled.
  useQuery({ ...sourceQuery(source), refetchInterval: live || editing ? false : pollMs })
  return setNewest
}

/** Minimum time in ms between two loads of payloads, however fast events arrive. */
const payloadsMs = 1000

/**
 * Returns a value of the store that is at most `ms` old. It changes immediately after a pause, then at most once in
 * that time.
 */
const useThrottled = <Value>(store: StoreApi<LiveState>, select: (state: LiveState) => Value, ms: number): Value => {
  const [value, setValue] = useState(() => select(store.getState()))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const take = (): void => {
      timer = setTimeout(() => {
        timer = undefined
        if (changed) take()
      }, ms)
      changed = false
      setValue(() => select(store.getState()))
    }
    let changed = false
    const onChange = (): void => {
      if (timer === undefined) take()
      else changed = true
    }
    onChange()
    const leave = store.subscribe(onChange)
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [store, select, ms])
  return value
}

/** Loads the needed payloads of events; an event that is not stored yet is retried later. */
const usePayloads = (source: string, store: StoreApi<LiveState>, dispatch: Dispatch<LiveAction>): void => {
  const showsProperty = useLiveView(({ properties }) => Object.hasOwn(properties, source))
  const select = useMemo(() => (state: LiveState) => neededPayloads(state, showsProperty), [showsProperty])
  const ids = useThrottled(store, select, payloadsMs)
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

/** The state of a source's live list, and a function that changes it. */
const createLiveStore = ({ schema: { schema, version } }: SourceWithSchema) => {
  const store = createStore(() =>
    liveReducer(initialLive, { type: 'schema', schema: parseSourceSchema(schema), version }),
  )
  const dispatch = (action: LiveAction): void => store.setState((state) => liveReducer(state, action), true)
  return { store, dispatch }
}

type Message = ReturnType<typeof liveMessage.parse>

const newestOf = (times: readonly string[]): number => Math.max(0, ...times.map((time) => Date.parse(time)))

type Listening = {
  onState: (state: ConnectionState) => void
  onVersion: Dispatch<SetStateAction<number>>
  /** Called when the server has omitted events. `newest` is the time (epoch ms) of the newest event that it sent. */
  onSkipped: (newest: number) => void
  reread: Reread
}

/** Listens to the live channel of a source: its messages are handled together, at most once per frame. */
const useChannel = (
  source: string,
  dispatch: Dispatch<LiveAction>,
  { onState, onVersion, onSkipped, reread }: Listening,
): void => {
  const token = useSession((session) => session.accessToken)
  const cache = useQueryClient()
  const key = useQuery(realtimeQuery()).data?.key
  useEffect(() => {
    if (key === undefined || token === null) return
    const batch = createFrameBatch<Message>((messages) => {
      const events = messages.flatMap((message) => message.events)
      const skipped = messages.reduce((sum, message) => sum + message.skipped, 0)
      dispatch({ type: 'received', events: events.map(ofLive), skipped })
      const newest = Math.max(0, ...events.map(({ schemaVersion }) => schemaVersion ?? 0))
      onVersion((known) => Math.max(known, newest))
      if (skipped === 0) return
      onSkipped(newestOf(events.map(({ receiveTime }) => receiveTime)))
    })
    let joined = false
    const leave = joinChannel({
      key,
      token,
      channel: sourceChannel(sourceIds(source).source),
      onState,
      onJoined: () => {
        void cache.invalidateQueries({ queryKey: sourceEventsQuery(source).queryKey })
        reread.ask()
        // The schema may have changed while the channel was not joined.
        if (joined) void cache.invalidateQueries({ queryKey: sourceQuery(source).queryKey })
        joined = true
      },
      on: {
        events: (data) => {
          const message = liveMessage.safeParse(data)
          if (message.success) batch.add(message.data)
        },
        [schemaMessage]: (data) => {
          const message = schemaChanged.safeParse(data)
          if (message.success) onVersion((known) => Math.max(known, message.data.version))
        },
      },
    })
    return () => {
      batch.stop()
      reread.stop()
      leave()
    }
  }, [key, token, source, cache, onState, onVersion, onSkipped, dispatch, reread])
}

/**
 * The live list of a source: the newest 50 stored events, then the events of the live channel. The list is reloaded
 * after every join, and once more when the events just before it are stored. It is also reloaded after the server
 * omitted events, and every five seconds without a connection, so no event is missed. Events are validated by the
 * current schema. New events change the store, and do not render the caller.
 */
export const useLiveEvents = (watched: SourceWithSchema) => {
  const { name: source } = watched
  const [{ store, dispatch }] = useState(() => createLiveStore(watched))
  const [connection, setConnection] = useState<ConnectionState>('initialized')
  const cache = useQueryClient()
  const stored = useQuery({
    ...sourceEventsQuery(source),
    refetchInterval: connection === 'connected' ? false : pollMs,
  })
  const onVersion = useSchemaNow(watched, dispatch, connection === 'connected')
  usePayloads(source, store, dispatch)
  const reread = useMemo(
    () => createReread(() => void cache.invalidateQueries({ queryKey: sourceEventsQuery(source).queryKey }), storedMs),
    [cache, source],
  )
  // The receive time (epoch ms) that the stored list must reach before it contains the omitted events.
  const wanted = useRef(0)
  const onSkipped = useCallback(
    (newest: number): void => {
      wanted.current = Math.max(wanted.current, newest)
      reread.ask()
    },
    [reread],
  )

  const { data: rows, dataUpdatedAt } = stored
  useEffect(() => {
    if (rows === undefined || dataUpdatedAt === 0) return
    dispatch({ type: 'read', events: rows.map(ofSummary) })
    if (newestOf(rows.map(({ receive_time: time }) => time)) < wanted.current) reread.ask()
  }, [rows, dataUpdatedAt, dispatch, reread])

  useChannel(source, dispatch, { onState: setConnection, onVersion, onSkipped, reread })
  return { store, dispatch, connection, stored }
}

export type LiveEvents = ReturnType<typeof useLiveEvents>

/** The part of the live list that `select` returns, now and after each change. */
export const useLive = <Value>({ store }: Pick<LiveEvents, 'store'>, select: (state: LiveState) => Value): Value =>
  useStore(store, select)
