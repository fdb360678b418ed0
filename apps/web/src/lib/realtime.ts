import { eventTypes } from '@tributary/contract'
import type Pusher from 'pusher-js'
import { z } from 'zod'

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

/** What a source's live channel carries. A message of another shape is ignored. */
export const liveMessage = z.object({
  events: z.array(
    z.object({
      eventId: z.string(),
      messageId: z.string(),
      type: z.enum(eventTypes),
      title: z.string(),
      test: z.boolean(),
      receiveTime: z.string(),
      status: z.enum(['accepted', 'rejected']),
      reason: z.string().optional(),
    }),
  ),
  skipped: z.number(),
})

export type LiveChannel = {
  key: string
  channel: string
  token: string
  /** Name of the messages that are listened for. */
  event: string
  onMessage: (data: unknown) => void
  /** 'connected' is told when the channel is joined, not when only the connection stands. */
  onState: (state: ConnectionState) => void
  /** The channel was joined, for the first time or again after a break: what came meanwhile must be read. */
  onJoined: () => void
}

const toState = (state: string): ConnectionState =>
  state === 'connected' ? 'connecting' : (connectionStates.find((known) => known === state) ?? 'unavailable')

/** A connection, how many hold it, and how many listen to each of its channels. */
type Shared = { client: Pusher; holders: number; channels: Map<string, number> }

/** Connections by application key and token: whoever listens with the same two shares one. */
const connections = new Map<string, Shared>()

const connect = (Client: typeof Pusher, key: string, token: string): Pusher => {
  const secure = window.location.protocol === 'https:'
  const port = window.location.port === '' ? (secure ? 443 : 80) : Number(window.location.port)
  return new Client(key, {
    cluster: '',
    wsHost: window.location.hostname,
    wsPort: port,
    wssPort: port,
    forceTLS: secure,
    enabledTransports: ['ws', 'wss'],
    enableStats: false,
    channelAuthorization: {
      endpoint: '/pusher/auth',
      transport: 'ajax',
      headersProvider: () => ({ Authorization: `Bearer ${token}` }),
    },
  })
}

/** Listens on the shared connection, which is made for the first and closed behind the last. The answer ends it. */
const listen = (Client: typeof Pusher, options: LiveChannel): (() => void) => {
  const { key, token, channel: name, event, onMessage, onState, onJoined } = options
  const id = `${key} ${token}`
  const shared = connections.get(id) ?? { client: connect(Client, key, token), holders: 0, channels: new Map() }
  connections.set(id, shared)
  shared.holders += 1
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
  channel.bind(event, onMessage)
  // Somebody else's listening has joined it already: the gateway does not say so twice.
  if (channel.subscribed) onSubscribed()

  return () => {
    connection.unbind('state_change', onChange)
    channel.unbind('pusher:subscription_succeeded', onSubscribed)
    channel.unbind('pusher:subscription_error', onRefused)
    channel.unbind(event, onMessage)
    const left = (shared.channels.get(name) ?? 1) - 1
    shared.channels.set(name, left)
    if (left === 0) shared.client.unsubscribe(name)
    shared.holders -= 1
    if (shared.holders > 0) return
    connections.delete(id)
    shared.client.disconnect()
  }
}

/** Joins a private channel of the same origin's realtime gateway, over one connection for all. The answer leaves it. */
export const joinChannel = (options: LiveChannel): (() => void) => {
  let leave: (() => void) | undefined
  let left = false
  options.onState('initialized')
  void import('pusher-js').then(
    ({ default: Client }) => {
      if (!left) leave = listen(Client, options)
    },
    () => options.onState('failed'),
  )
  return () => {
    left = true
    leave?.()
  }
}
