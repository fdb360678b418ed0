import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '@tributary/kernel'
import { AppError, badRequest, forbidden, isRecord, notFound, parseExactJson, unauthorized } from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import type { Channels } from './channels.ts'
import type { Connection } from './connection.ts'
import { topics } from './gateway.ts'
import type { RealtimeLimits } from './limits.ts'
import { channelKind, isSocketId, textField, userChannel } from './protocol.ts'
import { bodyProblem, callProblem, type Signer } from './signatures.ts'

/** The user of a bearer token. Other members of presence channels can see `info`. */
export type RealtimeUser = { id: string; info?: Record<string, unknown> }

/**
 * The workspace and organization of a channel to which a user may listen. If `masked`, personal values are hidden from
 * the user.
 */
export type Permission = { workspaceId?: string; organizationId?: string; masked?: boolean }

/** Returns the permission of a token's user to listen to a private or presence channel; undefined if there is none. */
export type Authorize = (token: string, channel: string, socketId: string) => Promise<Permission | undefined>
/** Returns the user of a bearer token; undefined if the session has ended. */
export type Authenticate = (token: string) => Promise<RealtimeUser | undefined>

/** Whether a signature token belongs to this user. A user needs it to receive personal messages. */
export type ProveUser = (userId: string, signatureToken: string) => boolean

type Options = {
  key: string
  appId: string
  signer: Signer
  authorize: Authorize
  authenticate: Authenticate
  proveUser?: ProveUser
  channels: Channels<Connection>
  coordination: Coordination
  logger: Logger
  limits: RealtimeLimits
}

/**
 * Maximum bytes of a call with a valid signature (`maxBody`), and of a call with a session, which only names a socket
 * and a channel (`maxForm`).
 */
const maxBody = 256 * 1024
const maxForm = 4 * 1024
const maxChannels = 100
const maxBatch = 10

const readText = (req: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else reject(new AppError(413, 'BODY_TOO_LARGE', 'The request is too large'))
    })
    req.on('end', () => resolve(Buffer.concat(chunks)))
    req.on('error', reject)
    req.on('close', () => reject(badRequest('ABORTED', 'The request was not complete')))
  })

const jsonOf = (body: Buffer): unknown => {
  try {
    return parseExactJson(body.toString())
  } catch {
    throw badRequest('INVALID_JSON', 'The body is not valid JSON')
  }
}

/** Reads the fields of a form or a JSON object. */
const fieldsOf = (body: Buffer): URLSearchParams => {
  const source = body.toString()
  if (!source.startsWith('{')) return new URLSearchParams(source)
  const value = jsonOf(body)
  const names = ['socket_id', 'channel_name']
  return new URLSearchParams(names.map((name): [string, string] => [name, textField(value, name) ?? '']))
}

const bearer = (req: IncomingMessage): string => {
  const token = /^Bearer (\S+)$/i.exec(req.headers.authorization ?? '')?.[1]
  if (token === undefined) throw unauthorized('The request has no session token. Sign in again.')
  return token
}

const sessionEnded = (): AppError => unauthorized('The session has ended. Sign in again.')

/**
 * Makes the handlers of `POST /pusher/auth` and `/pusher/user-auth`. They sign the subscription or sign-in of a
 * session's user.
 */
const createAuthCalls = ({ signer, authorize, authenticate, proveUser, coordination }: Options) => {
  const socketOf = (fields: URLSearchParams): string => {
    const socketId = fields.get('socket_id') ?? ''
    if (!isSocketId(socketId)) throw badRequest('INVALID_SOCKET', 'The socket_id is missing or malformed')
    return socketId
  }
  /**
   * Registers that the socket must end if the user of a token loses access. Call it before the last permission check,
   * so that a loss of access after that check still ends the socket.
   */
  const own = async (token: string, socketId: string): Promise<RealtimeUser> => {
    const user = await authenticate(token)
    if (user === undefined) throw sessionEnded()
    coordination.publish(topics.owner, { socketId, userId: user.id })
    return user
  }
  /** Reads the token and the fields of a call. Without a valid token, it does not read the body. */
  const received = async (req: IncomingMessage): Promise<{ token: string; fields: URLSearchParams }> => {
    const token = bearer(req)
    if ((await authenticate(token)) === undefined) throw sessionEnded()
    return { token, fields: fieldsOf(await readText(req, maxForm)) }
  }
  return {
    async channel(req: IncomingMessage): Promise<object> {
      const { token, fields } = await received(req)
      const socketId = socketOf(fields)
      const channel = fields.get('channel_name') ?? ''
      const kind = channelKind(channel)
      if (kind === undefined) throw badRequest('INVALID_CHANNEL', 'The channel_name is missing or malformed')
      const user = await own(token, socketId)
      const isPrivate = kind === 'private' || kind === 'presence'
      const found = isPrivate ? await authorize(token, channel, socketId) : undefined
      if (found === undefined) throw forbidden('You are not authorized to listen to this channel')
      const { masked = false, ...permission } = found
      coordination.publish(topics.owner, { socketId, userId: user.id, ...permission })
      if (kind === 'private')
        return { auth: masked ? signer.maskedChannel(socketId, channel) : signer.channel(socketId, channel) }
      const channelData = JSON.stringify({ user_id: user.id, user_info: user.info ?? {} })
      return { auth: signer.channel(socketId, channel, channelData), channel_data: channelData }
    },
    async user(req: IncomingMessage): Promise<object> {
      const { token, fields } = await received(req)
      const socketId = socketOf(fields)
      const user = await own(token, socketId)
      if (proveUser?.(user.id, fields.get('courier_token') ?? '') === false)
        throw forbidden('The courier_token is missing, or is that of another user. Sign in again.')
      if ((await authenticate(token)) === undefined) throw sessionEnded()
      const userData = JSON.stringify({ id: user.id, user_info: user.info ?? {} })
      return { auth: signer.user(socketId, userData), user_data: userData }
    },
  }
}

type Publication = { channel: string; event: string; data: string; except?: string }

const publications = (value: unknown, limits: RealtimeLimits): Publication[] => {
  if (!isRecord(value)) throw badRequest('INVALID_EVENT', 'The event must be an object')
  const listed: unknown[] =
    'channels' in value && Array.isArray(value.channels) ? value.channels : [textField(value, 'channel')]
  if (listed.length === 0 || listed.length > maxChannels)
    throw badRequest('INVALID_CHANNEL', `Name 1 to ${maxChannels} channels`)
  const event = textField(value, 'name')
  const data = textField(value, 'data')
  if (event === undefined || event === '' || event.length > 200)
    throw badRequest('INVALID_EVENT', 'The event needs a name of at most 200 characters')
  if (data === undefined) throw badRequest('INVALID_EVENT', 'The event needs data as text')
  if (Buffer.byteLength(data) > limits.dataBytes)
    throw new AppError(413, 'EVENT_TOO_LARGE', `The data is over ${limits.dataBytes} bytes`)
  const except = textField(value, 'socket_id')
  return listed.map((channel) => {
    if (typeof channel !== 'string' || channelKind(channel) === undefined)
      throw badRequest('INVALID_CHANNEL', 'A channel name is malformed')
    return { channel, event, data, ...(except === undefined ? {} : { except }) }
  })
}

/**
 * Makes the handlers of the server-to-server API, which the vendor's server libraries call. They publish, read
 * channels, and end a user's connections.
 */
const createAppCalls = ({ channels, coordination, limits }: Options) => {
  const publish = (events: Publication[]): object => {
    for (const event of events) coordination.publish(topics.publish, event)
    return {}
  }
  const batch = (value: unknown): object => {
    const events: unknown = isRecord(value) && 'batch' in value ? value.batch : undefined
    if (!Array.isArray(events) || events.length === 0 || events.length > maxBatch) {
      throw badRequest('INVALID_BATCH', `The batch needs 1 to ${maxBatch} events`)
    }
    return publish(events.flatMap((event) => publications(event, limits)))
  }
  const describe = (channel: string, info: string[]): Record<string, number> => ({
    ...(info.includes('user_count') && channel.startsWith('presence-')
      ? { user_count: channels.members(channel).size }
      : {}),
    ...(info.includes('subscription_count') ? { subscription_count: channels.count(channel) } : {}),
  })
  const read = (path: string, query: URLSearchParams): object => {
    const info = (query.get('info') ?? '').split(',')
    if (path === '/channels') {
      const prefix = query.get('filter_by_prefix') ?? ''
      const names = channels.names().filter((name) => name.startsWith(prefix) && channelKind(name) !== 'user')
      return { channels: Object.fromEntries(names.map((name) => [name, describe(name, info)])) }
    }
    const [, name = '', users] = /^\/channels\/([^/]+)(\/users)?$/.exec(path) ?? []
    if (channelKind(name) === undefined) throw notFound('There is no such call')
    if (users === undefined) return { occupied: channels.count(name) > 0, ...describe(name, info) }
    if (!name.startsWith('presence-')) throw badRequest('NO_PRESENCE', 'Only presence channels have users')
    return { users: [...channels.members(name).keys()].map((id) => ({ id })) }
  }
  return (method: string, path: string, query: URLSearchParams, body: Buffer): object => {
    if (method === 'GET') return read(path, query)
    const user = /^\/users\/([^/]+)\/terminate_connections$/.exec(path)?.[1]
    if (user !== undefined) {
      const userId = decodeURIComponent(user)
      if (channelKind(userChannel(userId)) === undefined) throw badRequest('INVALID_USER', 'The user id is malformed')
      coordination.publish(topics.disconnect, { userId })
      return {}
    }
    if (path === '/events') return publish(publications(jsonOf(body), limits))
    if (path === '/batch_events') return batch(jsonOf(body))
    throw notFound('There is no such call')
  }
}

const answer = (res: ServerResponse, code: number, body: object): void => {
  if (res.destroyed || res.headersSent) return
  res
    .writeHead(code, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(body))
}

/**
 * Makes the handler of the gateway's HTTP calls. It returns false for other paths. Errors have the body with four keys;
 * unexpected errors are logged and returned as 500 without their text.
 */
export const createHttpApi = (options: Options): ((req: IncomingMessage, res: ServerResponse) => boolean) => {
  const { key, appId, signer, logger } = options
  const auth = createAuthCalls(options)
  const app = createAppCalls(options)
  const base = `/apps/${appId}`

  const appCall = async (req: IncomingMessage, url: URL): Promise<object> => {
    const method = req.method ?? ''
    const query = url.searchParams
    const problem = callProblem(signer, key, { method, path: url.pathname, query }, Date.now())
    if (problem !== undefined) throw unauthorized(problem)
    const body = await readText(req, maxBody)
    const mismatch = bodyProblem(query, body)
    if (mismatch !== undefined) throw unauthorized(mismatch)
    return app(method, url.pathname.slice(base.length), query, body)
  }

  const callFor = (req: IncomingMessage, url: URL): (() => Promise<object>) | undefined => {
    if (url.pathname === '/pusher/auth' || url.pathname === '/pusher/user-auth') {
      if (req.method !== 'POST')
        return () => Promise.reject(new AppError(405, 'METHOD_NOT_ALLOWED', 'Use POST for this call'))
      return () => (url.pathname === '/pusher/auth' ? auth.channel(req) : auth.user(req))
    }
    return url.pathname.startsWith(`${base}/`) ? () => appCall(req, url) : undefined
  }

  return (req, res) => {
    const url = URL.parse(req.url ?? '', 'http://localhost')
    const call = url === null ? undefined : callFor(req, url)
    if (call === undefined) return false
    call().then(
      (body) => answer(res, 200, body),
      (error: unknown) => {
        req.resume()
        if (error instanceof AppError) return answer(res, error.code, error.toBody())
        logger.error({ err: error }, 'call of the realtime gateway failed')
        answer(res, 500, new AppError(500, 'INTERNAL', 'Something went wrong on our side. Try again.').toBody())
      },
    )
    return true
  }
}
