import type Pusher from 'pusher-js'
import { useSession } from '../people/session.ts'

/**
 * Milliseconds:
 * - silence after which the gateway gets a ping,
 * - maximum wait for its answer before the connection is made again,
 * - maximum time of connecting before the state is 'unavailable'.
 * The official client has the rest of the protocol, version 7. It follows the closing codes, and waits one second
 * before the next attempt. Attempts of 15 seconds double up to 60, and it remembers the transport that worked last for
 * 30 minutes.
 */
export const realtimeTimes = { activityTimeout: 120_000, pongTimeout: 30_000, unavailableTimeout: 10_000 } as const

/**
 * The official client, connected to the gateway of the page's own origin and signed in as the user of the session,
 * again after every break. The class `Client` is loaded when needed.
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
      // Messages to the user, such as those of the inbox, also need the user's signature token.
      paramsProvider: () => ({ courier_token: useSession.getState().courierToken ?? '' }),
    },
  })
  client.signin()
  return client
}
