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

const open = (
  Client: typeof Pusher,
  { key, channel, token, event, onMessage, onState, onJoined }: LiveChannel,
): Pusher => {
  const secure = window.location.protocol === 'https:'
  const port = window.location.port === '' ? (secure ? 443 : 80) : Number(window.location.port)
  const pusher = new Client(key, {
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
  onState(toState(pusher.connection.state))
  pusher.connection.bind('state_change', ({ current }: { current: string }) => onState(toState(current)))
  const joined = pusher.subscribe(channel)
  joined.bind('pusher:subscription_succeeded', () => {
    onState('connected')
    onJoined()
  })
  joined.bind('pusher:subscription_error', () => onState('failed'))
  joined.bind(event, onMessage)
  return pusher
}

/** Joins a private channel of the same origin's realtime gateway. The answer leaves it. */
export const joinChannel = (options: LiveChannel): (() => void) => {
  let pusher: Pusher | undefined
  let left = false
  options.onState('initialized')
  void import('pusher-js').then(
    ({ default: Client }) => {
      if (!left) pusher = open(Client, options)
    },
    () => options.onState('failed'),
  )
  return () => {
    left = true
    pusher?.connection.unbind_all()
    pusher?.disconnect()
  }
}
