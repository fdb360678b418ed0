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
  /** Checks a user's signature token at sign-in, in addition to the session; optional. */
  proveUser?: ProveUser
  coordination: Coordination
  logger: Logger
  metrics: Metrics
  limits?: Partial<RealtimeLimits>
  /** Returns the network to which a connection counts. By default, this is the address of the peer. */
  networkOf?(req: IncomingMessage): string
  /** Masks personal values in the data of a message, for users authorized with `masked`. */
  maskData?(data: unknown): unknown
}

export type Realtime = {
  /** Handles an upgrade request to `/app/{key}`. Other paths get 404. */
  handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Handles `/pusher/auth`, `/pusher/user-auth`, and `/apps/{appId}/…`. Returns false for other paths. */
  handleHttp(req: IncomingMessage, res: ServerResponse): boolean
  /**
   * Ends every connection that was authorized for a user, in all processes. Clients reconnect immediately and are
   * authorized by the user's current access.
   */
  reconnectUser(userId: string): void
  /**
   * Ends every connection of this process that was authorized for any user. Needed if changes of access may have been
   * missed.
   */
  reconnectAll(): void
  /** Returns the channels with a subscriber in this process. */
  occupied(): string[]
  /** Asks all clients to reconnect to another server, and waits at most three seconds until they have disconnected. */
  close(): Promise<void>
}

/**
 * Creates a gateway for the Pusher channels protocol, version 7, for the official client and server libraries. Sends
 * messages of the coordination topic `live.publish` {channel, event, data, except?} to the subscribers, best effort. A
 * socket that does not read misses messages, and is closed if it falls far behind. Publishes the channels with
 * subscribers on `live.occupied` {gateway, channels}. Presence includes only the members of this process.
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
