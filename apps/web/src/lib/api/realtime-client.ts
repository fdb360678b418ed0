import type Pusher from 'pusher-js'
import { useSession } from '../people/session.ts'

/**
 * Times of the realtime client, in ms:
 * - silence after which the client sends a ping to the gateway,
 * - maximum wait for the response to a ping before the client reconnects,
 * - maximum time of connecting before the state is 'unavailable'.
 * The official client implements the rest of the protocol, version 7. It follows the closing codes, and waits one
 * second before the next attempt. An attempt has 15 seconds, doubling up to 60. The client remembers the transport that
 * worked last for 30 minutes.
 */
export const realtimeTimes = { activityTimeout: 120_000, pongTimeout: 30_000, unavailableTimeout: 10_000 } as const

/**
 * Connects the official client to the gateway of the page's own origin and signs it in as the user of the session,
 * again after every interruption. The class `Client` is passed in because it is loaded when needed.
 */
export const connectRealtime = (Client: typeof Pusher, key: string, token: string): Pusher => {
  const { protocol, hostname, port: given } = window.location
  const secure = protocol === 'https:'
  const port = given === '' ? (secure ? 443 : 80) : Number(given)
  const headersProvider = () => ({ Authorization: `Bearer ${token}` })
  const client = new Client(key, {
    ...realtimeTimes,
    cluster: '',
    wsHost: hostname,
    wsPort: port,
    wssPort: port,
    forceTLS: secure,
    enabledTransports: ['ws', 'wss'],
    enableStats: false,
    channelAuthorization: { endpoint: '/pusher/auth', transport: 'ajax', headersProvider },
    userAuthentication: {
      endpoint: '/pusher/user-auth',
      transport: 'ajax',
      headersProvider,
      // Messages to the user, such as those of the inbox, also require the signature token of the user.
      paramsProvider: () => ({ courier_token: useSession.getState().courierToken ?? '' }),
    },
  })
  client.signin()
  return client
}
