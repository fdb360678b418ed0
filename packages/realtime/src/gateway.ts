import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import {
  createPool,
  createWorkShare,
  isRecord,
  type Logger,
  type Metrics,
  type PoolHold,
  type WorkShareSettings,
} from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import { WebSocketServer } from 'ws'
import { type Channels, createChannels } from './channels.ts'
import { createCommands } from './commands.ts'
import { type Connection, createConnection, textOf } from './connection.ts'
import type { RealtimeLimits } from './limits.ts'
import { type Closing, closings, dataText, message, parseMessage, versionProblem } from './protocol.ts'
import type { Signer } from './signatures.ts'

/** Names of the topics through which processes and threads exchange messages. */
export const topics = {
  /** `{channel, event, data, except?}`: a message for all subscribers; `except` is a socket ID. */
  publish: 'live.publish',
  /** `{gateway, channels}`: the channels with subscribers, on every change and every two seconds. */
  occupied: 'live.occupied',
  /**
   * `{socketId, userId, workspaceId?, organizationId?}`: a user was authorized to listen to a workspace through a
   * socket.
   */
  owner: 'live.owner',
  /** `{userId, again?}`: the connections of a user must end; with `again`, clients reconnect immediately. */
  disconnect: 'live.disconnect',
} as const

export type Gateway = {
  handleUpgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void
  channels: Channels<Connection>
  /** Ends every connection through which a user was authorized. Clients reconnect immediately. */
  reconnectAll(): void
  start(): void
  close(): Promise<void>
}

const maxMessageBytes = 32 * 1024
const changeDelayMs = 20
const closeWaitMs = 3000
const tooManyOpenings =
  'HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n'

/**
 * Share of the thread's time for opening connections, by network. One network can open about 500 connections a second,
 * each in its own round of the event loop. Clients beyond the waiting limit must try again.
 */
const openingShare: Partial<WorkShareSettings> = { share: 0.15, together: 0.3, burstMs: 10, freeMs: 0, waiting: 256 }

const newSocketId = (): string => `${randomInt(1, 2 ** 47)}.${randomInt(1, 2 ** 47)}`

const text = (value: unknown, name: string): string | undefined => {
  if (!isRecord(value)) return undefined
  const found: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
  return typeof found === 'string' ? found : undefined
}

type GatewayOptions = {
  key: string
  signer: Signer
  coordination: Coordination
  logger: Logger
  metrics: Metrics
  limits: RealtimeLimits
  /** Returns the network to which a connection counts. By default, this is the address of the peer. */
  networkOf?(req: IncomingMessage): string
  /** Masks personal values in the data of a message, for subscribers with masked values. */
  maskData?(data: unknown): unknown
}

/** Makes the function that sends published messages to the subscribers of this gateway. */
const createDelivery = (channels: Channels<Connection>, { logger, metrics, limits, maskData }: GatewayOptions) => {
  let lastWarning = 0
  return (published: unknown): void => {
    const channel = text(published, 'channel')
    const event = text(published, 'event')
    if (channel === undefined || event === undefined || !isRecord(published)) return
    if (channels.count(channel) === 0) return
    const data = dataText('data' in published ? published.data : undefined)
    if (Buffer.byteLength(data) > limits.dataBytes) {
      metrics.count('realtime_oversized', 1)
      if (Date.now() - lastWarning > 10_000) {
        lastWarning = Date.now()
        logger.warn({ channel, event, characters: data.length }, 'live message is too large and was skipped')
      }
      return
    }
    const sent = message(event, data, channel)
    let forMasked: string | undefined
    /** Returns the message with masked personal values. It has no data if there is no function that masks. */
    const masked = (): string => {
      forMasked ??= message(event, dataText(maskData?.('data' in published ? published.data : undefined)), channel)
      return forMasked
    }
    const except = text(published, 'except')
    let reached = 0
    let skipped = 0
    for (const connection of channels.subscribers(channel)) {
      if (connection.socketId === except) continue
      if (connection.sendLive(connection.masked.has(channel) ? masked() : sent)) reached++
      else skipped++
    }
    if (reached > 0) metrics.count('realtime_messages_sent', reached)
    if (skipped > 0) metrics.count('realtime_messages_skipped', skipped)
  }
}

/**
 * Makes the function that publishes the channels with subscribers to the pipeline. Changes within a short time become
 * one message.
 */
const createOccupancy = (names: () => string[], coordination: Coordination) => {
  const gateway = newSocketId()
  let pending: NodeJS.Timeout | undefined
  const announce = (): void => coordination.publish(topics.occupied, { gateway, channels: names() })
  return {
    announce,
    changed() {
      pending ??= setTimeout(() => {
        pending = undefined
        announce()
      }, changeDelayMs)
    },
    stop() {
      clearTimeout(pending)
    },
  }
}

/**
 * Makes the function that opens a connection when it is the turn of its network. It returns false if too many
 * connections wait.
 */
const createOpenings = (maxWaiting: number): ((network: string, open: () => void) => boolean) => {
  const openings = createWorkShare(openingShare)
  let waiting = 0
  return (network, open) => {
    const opening = (): void => {
      waiting--
      open()
    }
    if (waiting >= maxWaiting || !openings.later(network, opening)) return false
    waiting++
    return true
  }
}

/** Makes the places for connections, within the limits of networks, users, workspaces, and organizations. */
const createPlaces = (limits: RealtimeLimits, connections: Map<string, Connection>) => {
  const pool = createPool({
    total: limits.connections,
    shares: {
      network: limits.connectionsPerAddress,
      user: limits.connectionsPerUser,
      workspace: limits.connectionsPerWorkspace,
      organization: limits.connectionsPerOrganization,
    },
    shrinking: ['organization'],
  })
  const holds = new Map<Connection, PoolHold>()
  const leave = (connection: Connection): void => {
    connections.delete(connection.socketId)
    holds.get(connection)?.release()
    holds.delete(connection)
  }

  /** If all connections are in use, ends the oldest one without an authorized user. */
  const makeRoom = (): void => {
    for (const connection of connections.values()) {
      if (connection.owners.size > 0 || connection.signedIn !== undefined) continue
      leave(connection)
      return connection.end(closings.overCapacity)
    }
  }

  return {
    leave,
    /** Gives a connection a place. Returns false if there is none. */
    enter(connection: Connection, network: string): boolean {
      if (pool.bound({ network }) === 'total') makeRoom()
      const hold = pool.take({ network })
      if (hold !== undefined) holds.set(connection, hold)
      return hold !== undefined
    },
    /** Counts a connection for its user, and for the workspace and organization of `owner`. */
    join(connection: Connection, userId: string, owner: unknown): boolean {
      const hold = holds.get(connection)
      const joins = (kind: 'user' | 'workspace' | 'organization', name: string | undefined): boolean =>
        name === undefined || hold?.join(kind, name) === true
      return (
        joins('user', userId) &&
        joins('workspace', text(owner, 'workspaceId')) &&
        joins('organization', text(owner, 'organizationId'))
      )
    },
  }
}

/**
 * Makes the gateway: it accepts sockets, keeps them alive, and passes messages between them and the coordination
 * service.
 */
export const createGateway = (options: GatewayOptions): Gateway => {
  const { key, coordination, logger, metrics, limits } = options
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false })
  const connections = new Map<string, Connection>()
  const channels = createChannels<Connection>(() => occupancy.changed())
  const occupancy = createOccupancy(() => channels.names(), coordination)
  const commands = createCommands({ signer: options.signer, channels, limits })
  const places = createPlaces(limits, connections)
  const openLater = createOpenings(limits.connections)
  const deliver = createDelivery(channels, options)
  let timers: NodeJS.Timeout[] = []
  let unsubscribe: (() => void)[] = []
  let closing = false

  const admissionProblem = (url: URL, connection: Connection, network: string): Closing | undefined => {
    if (url.pathname !== `/app/${key}`) return closings.unknownApp
    const version = versionProblem(url.searchParams.get('protocol'))
    if (version !== undefined) return version
    if (closing) return closings.stopping
    return places.enter(connection, network) ? undefined : closings.overCapacity
  }

  const handleUpgrade: Gateway['handleUpgrade'] = (req, socket, head) => {
    const url = URL.parse(req.url ?? '', 'http://localhost')
    if (url === null || !url.pathname.startsWith('/app/')) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    // This listener is needed until the WebSocket server handles the socket.
    socket.on('error', () => socket.destroy())
    const network = options.networkOf?.(req) ?? req.socket.remoteAddress ?? ''
    const opening = (): void => {
      // A client that has disconnected meanwhile is skipped.
      if (!socket.destroyed) open(url, network, req, socket, head)
    }
    if (!openLater(network, opening)) socket.end(tooManyOpenings)
  }

  const open = (url: URL, network: string, req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    server.handleUpgrade(req, socket, head, (webSocket) => {
      const connection = createConnection(webSocket, newSocketId(), limits)
      webSocket.on('error', (error) => logger.debug({ err: error }, 'live connection failed'))
      const problem = admissionProblem(url, connection, network)
      if (problem !== undefined) return connection.end(problem)
      connections.set(connection.socketId, connection)
      webSocket.on('close', () => {
        places.leave(connection)
        commands.leaveAll(connection)
      })
      webSocket.on('ping', connection.heard)
      webSocket.on('message', (data) => {
        connection.heard()
        if (!connection.allowMessage()) return connection.end(closings.tooManyMessages)
        const received = parseMessage(textOf(data))
        if (received !== undefined) commands.handle(connection, received)
      })
      const established = { socket_id: connection.socketId, activity_timeout: Math.round(limits.activityMs / 1000) }
      connection.send(message('pusher:connection_established', established))
    })
  }

  const onOwner = (owner: unknown): void => {
    const userId = text(owner, 'userId')
    const connection = connections.get(text(owner, 'socketId') ?? '')
    if (userId === undefined || connection === undefined) return
    connection.owners.add(userId)
    if (!places.join(connection, userId, owner)) connection.end(closings.overCapacity)
  }
  const onDisconnect = (order: unknown): void => {
    const userId = text(order, 'userId')
    if (userId === undefined || !isRecord(order)) return
    const closing = 'again' in order && order.again === true ? closings.accessChanged : closings.unauthorized
    for (const connection of connections.values()) {
      if (connection.owners.has(userId) || connection.signedIn === userId) connection.end(closing)
    }
  }

  return {
    channels,
    handleUpgrade,
    reconnectAll() {
      for (const connection of connections.values())
        if (connection.owners.size > 0 || connection.signedIn !== undefined) connection.end(closings.accessChanged)
    },
    start() {
      unsubscribe = [
        coordination.subscribe(topics.publish, deliver),
        coordination.subscribe(topics.owner, onOwner),
        coordination.subscribe(topics.disconnect, onDisconnect),
      ]
      const sweepMs = Math.max(20, Math.min(5000, limits.activityMs / 4, limits.pongMs / 4))
      timers = [
        setInterval(() => {
          for (const connection of connections.values()) connection.checkSilence()
        }, sweepMs),
        setInterval(() => {
          occupancy.announce()
          metrics.gauge('realtime_connections', connections.size)
          metrics.gauge('realtime_channels', channels.names().length)
        }, limits.occupiedMs),
      ]
      for (const timer of timers) timer.unref()
    },
    async close() {
      closing = true
      for (const timer of timers) clearInterval(timer)
      for (const stop of unsubscribe) stop()
      for (const connection of connections.values()) connection.end(closings.stopping)
      const deadline = Date.now() + closeWaitMs
      while (connections.size > 0 && Date.now() < deadline) await pause(10)
      for (const connection of connections.values()) connection.cut()
      occupancy.stop()
      occupancy.announce()
      server.close()
    },
  }
}
