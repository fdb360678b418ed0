import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { type Coordination, createCoordinationHub } from '@tributary/storage'
import { createRealtime, type Realtime, type RealtimeDeps } from '../realtime.ts'

export const key = 'app-key'
export const secret = 'app-secret'
/** The ID must consist of digits, because the vendor's Python library rejects anything else. */
export const appId = '1'

export type RunningRealtime = {
  port: number
  realtime: Realtime
  coordination: Coordination
  stop(): Promise<void>
}

/**
 * Authentication for tests. Tokens are user IDs; the token `ended` has no session. A user may listen to channels that
 * end with the user's ID or with `all`.
 */
const tokens: Pick<RealtimeDeps, 'authorize' | 'authenticate'> = {
  authorize: async (token, channel) => (channel.endsWith(`-${token}`) || channel.endsWith('-all') ? {} : undefined),
  authenticate: async (token) => (token === 'ended' ? undefined : { id: token, info: { name: `User ${token}` } }),
}

/** Starts a gateway on 127.0.0.1, on a free port unless one is given. */
export const startRealtime = async (options: Partial<RealtimeDeps> = {}, onPort = 0): Promise<RunningRealtime> => {
  const hub = createCoordinationHub()
  const { coordination } = hub
  const realtime = createRealtime({
    key,
    secret,
    appId,
    ...tokens,
    coordination,
    logger: silentLogger,
    metrics: noMetrics,
    ...options,
  })
  const server = createServer((req, res) => {
    if (!realtime.handleHttp(req, res)) res.writeHead(418).end()
  })
  server.on('upgrade', (req, socket, head) => realtime.handleUpgrade(req, socket, head))
  await new Promise<void>((resolve) => server.listen(onPort, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    realtime,
    coordination,
    async stop() {
      await realtime.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await hub.close()
    },
  }
}
