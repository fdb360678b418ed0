import type Pusher from 'pusher-js'
import { useSession } from '../people/session.ts'

/**
 * Milliseconds: silence after which the gateway is asked whether it is there, how long its answer may take before the
 * connection is made anew, and how long connecting may take before the state is 'unavailable'. The official client brings
 * the rest of the protocol: version 7, what each closing code asks for, one second before the next attempt, attempts of
 * 15 seconds doubling up to 60, and the transport that worked last, remembered for 30 minutes.
 */
export const realtimeTimes = { activityTimeout: 120_000, pongTimeout: 30_000, unavailableTimeout: 10_000 } as const

/**
 * The official client, connecting to the gateway of the page's own origin and signing in as the user of the session;
 * again by itself after every break. `Client` is its class, which is loaded when it is needed.
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
      // What is sent to the user, as to the inbox, is told to whoever has its signature token, too.
      paramsProvider: () => ({ courier_token: useSession.getState().courierToken ?? '' }),
    },
  })
  client.signin()
  return client
}
