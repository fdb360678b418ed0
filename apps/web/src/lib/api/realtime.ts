import { compatibilities, eventStatuses, eventTypes } from '@tributary/contract'
import type Pusher from 'pusher-js'
import { z } from 'zod'
import { doubtServer, whenBack } from './reachability.ts'
import { connectRealtime } from './realtime-client.ts'

/** States of the realtime connection, as the protocol names them. */
export const connectionStates = [
  'initialized',
  'connecting',
  'connected',
  'unavailable',
  'failed',
  'disconnected',
] as const
export type ConnectionState = (typeof connectionStates)[number]

/** A message of the live channel of a source. Messages of any other form are ignored. */
export const liveMessage = z.object({
  events: z.array(
    z.object({
      eventId: z.string(),
      messageId: z.string(),
      type: z.enum(eventTypes),
      title: z.string(),
      test: z.boolean(),
      receiveTime: z.string(),
      userId: z.string().optional(),
      anonymousId: z.string().optional(),
      status: z.enum(eventStatuses),
      reason: z.string().optional(),
      compatibility: z.enum(compatibilities).optional(),
      schemaVersion: z.number().optional(),
      values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
    }),
  ),
  skipped: z.number(),
})

/** The message of a source's channel about a new version of its schema. */
export const schemaChanged = z.object({ version: z.number() })

type Listener = { key: string; token: string }

export type LiveChannel = Listener & {
  channel: string
  /** The handlers of messages, by name. */
  on: Readonly<Record<string, (data: unknown) => void>>
  /** The state is 'connected' once the channel is joined; an open connection alone is not enough. */
  onState: (state: ConnectionState) => void
  /**
   * Called when the channel is joined, for the first time or after an interruption. Messages in between were lost and
   * must be loaded.
   */
  onJoined: () => void
}

export type LiveUser = Listener & {
  /** The handlers of messages, by name. */
  on?: Readonly<Record<string, (data: unknown) => void>>
  /**
   * Called when the gateway has signed in this listener, for the first time or after an interruption. Messages in
   * between were lost and must be loaded.
   */
  onJoined: () => void
  /** Called when the gateway reports that the session has ended. */
  onRefused?: () => void
}

const toState = (state: string): ConnectionState =>
  state === 'connected' ? 'connecting' : (connectionStates.find((known) => known === state) ?? 'unavailable')

/** A shared connection, with the number of its users and the number of listeners to each of its channels. */
type Shared = { client: Pusher; holders: number; channels: Map<string, number>; unfollow: () => void }

/** Connections by application key and token: listeners with the same key and token share one. */
const connections = new Map<string, Shared>()

/**
 * Checks the server when a connection breaks, and reconnects when the server is available again. The client itself
 * would wait up to a minute. Call the returned function to stop.
 */
const followServer = (client: Pusher): (() => void) => {
  const { connection } = client
  const onChange = ({ previous, current }: { previous: string; current: string }): void => {
    if (previous === 'connected' && current !== 'disconnected') doubtServer()
  }
  connection.bind('state_change', onChange)
  const stop = whenBack(() => {
    // Does not reconnect if the gateway has rejected the connection, or if the connection has no listeners.
    if (connection.state !== 'connecting' && connection.state !== 'unavailable') return
    client.disconnect()
    client.connect()
  })
  return () => {
    connection.unbind('state_change', onChange)
    stop()
  }
}

const open = (Client: typeof Pusher, key: string, token: string): Shared => {
  const client = connectRealtime(Client, key, token)
  return { client, holders: 0, channels: new Map(), unfollow: followServer(client) }
}

/**
 * Returns the shared connection, and a function that releases it. The first user opens the connection, and the last
 * release closes it.
 */
const hold = (Client: typeof Pusher, key: string, token: string): { shared: Shared; release: () => void } => {
  const id = `${key} ${token}`
  const shared = connections.get(id) ?? open(Client, key, token)
  connections.set(id, shared)
  shared.holders += 1
  return {
    shared,
    release() {
      shared.holders -= 1
      if (shared.holders > 0) return
      connections.delete(id)
      shared.unfollow()
      shared.client.disconnect()
    },
  }
}

const listenToChannel = (Client: typeof Pusher, options: LiveChannel): (() => void) => {
  const { key, token, channel: name, on, onState, onJoined } = options
  const { shared, release } = hold(Client, key, token)
  shared.channels.set(name, (shared.channels.get(name) ?? 0) + 1)
  const { connection } = shared.client
  const channel = shared.client.subscribe(name)

  const onChange = ({ current }: { current: string }): void => onState(toState(current))
  const onSubscribed = (): void => {
    onState('connected')
    onJoined()
  }
  const onRefused = (): void => onState('failed')
  onState(toState(connection.state))
  connection.bind('state_change', onChange)
  channel.bind('pusher:subscription_succeeded', onSubscribed)
  channel.bind('pusher:subscription_error', onRefused)
  for (const [event, onMessage] of Object.entries(on)) channel.bind(event, onMessage)
  // If another listener has joined the channel before, the gateway does not report it again.
  if (channel.subscribed) onSubscribed()

  return () => {
    connection.unbind('state_change', onChange)
    channel.unbind('pusher:subscription_succeeded', onSubscribed)
    channel.unbind('pusher:subscription_error', onRefused)
    for (const [event, onMessage] of Object.entries(on)) channel.unbind(event, onMessage)
    const left = (shared.channels.get(name) ?? 1) - 1
    shared.channels.set(name, left)
    if (left === 0) shared.client.unsubscribe(name)
    release()
  }
}

const listenToUser = (Client: typeof Pusher, options: LiveUser): (() => void) => {
  const { key, token, on = {}, onJoined, onRefused } = options
  const { shared, release } = hold(Client, key, token)
  const { client } = shared
  const onError = ({ status }: { status?: number }): void => {
    if (status === 401) onRefused?.()
  }
  client.bind('pusher:signin_success', onJoined)
  client.user.bind('pusher:signin_error', onError)
  for (const [event, onMessage] of Object.entries(on)) client.user.bind(event, onMessage)
  // Another listener has signed in before, so the gateway does not report it again.
  if (client.user.user_data !== null) onJoined()

  return () => {
    client.unbind('pusher:signin_success', onJoined)
    client.user.unbind('pusher:signin_error', onError)
    for (const [event, onMessage] of Object.entries(on)) client.user.unbind(event, onMessage)
    release()
  }
}

/** Starts `listen` once the client is loaded. Call the returned function to stop listening. */
const whenLoaded = (listen: (Client: typeof Pusher) => () => void, onFailure: () => void): (() => void) => {
  let leave: (() => void) | undefined
  let left = false
  void import('pusher-js').then(({ default: Client }) => {
    if (!left) leave = listen(Client)
  }, onFailure)
  return () => {
    left = true
    leave?.()
  }
}

/**
 * Joins a private channel of the realtime gateway of this origin. All channels share one connection. Call the returned
 * function to leave the channel.
 */
export const joinChannel = (options: LiveChannel): (() => void) => {
  options.onState('initialized')
  return whenLoaded(
    (Client) => listenToChannel(Client, options),
    () => options.onState('failed'),
  )
}

/** Listens to messages to the user of the session, over the same connection. Call the returned function to stop. */
export const joinUser = (options: LiveUser): (() => void) =>
  whenLoaded(
    (Client) => listenToUser(Client, options),
    () => undefined,
  )
