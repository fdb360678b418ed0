import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger, Metrics } from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import { createGateway, topics } from './gateway.ts'
import { type Authenticate, type Authorize, createHttpApi, type ProveUser } from './http-api.ts'
import { defaultRealtimeLimits, type RealtimeLimits } from './limits.ts'
import { createSigner } from './signatures.ts'

export type RealtimeDeps = {
  /** Public key of the application: part of the socket's path and of every signature. */
  key: string
  /** Signs subscriptions and checks calls of the server-to-server API. */
  secret: string
  /** Part of the path of the server-to-server API: `/apps/{appId}/…`. */
  appId: string
  authorize: Authorize
  authenticate: Authenticate
  /** Checks a user who signs in, besides the session; no check when not given. */
  proveUser?: ProveUser
  coordination: Coordination
  logger: Logger
  metrics: Metrics
  limits?: Partial<RealtimeLimits>
  /** The network whose share of the places a connection takes; the peer's address when not given. */
  networkOf?(req: IncomingMessage): string
  /** Removes values of people from the data of a message, for users authorized with `masked`. */
  maskData?(data: unknown): unknown
}

export type Realtime = {
  /** Handles an upgrade request to `/app/{key}`; others are answered 404. */
  handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Answers `/pusher/auth`, `/pusher/user-auth`, and `/apps/{appId}/…`; false for other paths. */
  handleHttp(req: IncomingMessage, res: ServerResponse): boolean
  /**
   * Ends every connection that was authorized for a user, in all processes. Clients connect again immediately and are
   * authorized by the user's current access.
   */
  reconnectUser(userId: string): void
  /** The same for every authorized connection of this process, after changes of access may have been missed. */
  reconnectAll(): void
  /** Channels with a subscriber in this process. */
  occupied(): string[]
  /** Asks all clients to connect again (elsewhere) and waits until they have disconnected, at most three seconds. */
  close(): Promise<void>
}

/**
 * A gateway for the Pusher channels protocol, version 7, for the official client and server libraries. Sends messages
 * of the coordination topic `live.publish` {channel, event, data, except?} to the subscribers, best effort. A socket
 * that does not read misses messages and is cut when it falls far behind. Publishes the watched channels on
 * `live.occupied` {gateway, channels}. Presence counts the members of this process.
 */
export const createRealtime = (deps: RealtimeDeps): Realtime => {
  const limits = { ...defaultRealtimeLimits, ...deps.limits }
  const signer = createSigner(deps.key, deps.secret)
  const gateway = createGateway({ ...deps, signer, limits })
  const handleHttp = createHttpApi({ ...deps, signer, limits, channels: gateway.channels })
  gateway.start()
  return {
    handleUpgrade: gateway.handleUpgrade,
    handleHttp,
    reconnectUser: (userId) => deps.coordination.publish(topics.disconnect, { userId, again: true }),
    reconnectAll: () => gateway.reconnectAll(),
    occupied: () => gateway.channels.names(),
    close: () => gateway.close(),
  }
}
