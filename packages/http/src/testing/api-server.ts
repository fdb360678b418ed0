import { connect, type Socket } from 'node:net'
import { methodList } from '@tributary/contract'
import { type Actor, conflict, noMetrics, silentLogger } from '@tributary/kernel'
import fastifyFactory from 'fastify'
import { onTestFinished } from 'vitest'
import {
  type AnyHandler,
  type ApiLimits,
  type Authorize,
  apiServerOptions,
  createApi,
  type Handlers,
} from '../index.ts'

/** Returns handlers that respond with 409 and the name of their method, unless the test provides a handler. */
export const handlersFor = (own: Record<string, AnyHandler>): Handlers => {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const { name } of methodList) {
    const [group = '', verb = ''] = name.split('.')
    const handler: AnyHandler = own[name] ?? (async () => Promise.reject(conflict('REACHED', name)))
    groups[group] = { ...groups[group], [verb]: handler }
  }
  return groups as Record<string, Record<string, unknown>> & Handlers
}

/** Allows every caller in every workspace and organization. */
export const allowAll: Authorize = async (_, __, { workspace, organization }) => ({
  ...(workspace === undefined ? {} : { workspace: { id: workspace, organizationId: 'o', roles: [] } }),
  ...(organization === undefined ? {} : { organization: { id: organization, roles: [] } }),
})

const people = ['ann', 'ben']
const actorOf = (userId: string): Actor => ({
  userId,
  email: `${userId}@b.co`,
  isPlatformAdmin: false,
  sessionId: 's',
  memberships: [],
})

/** Starts the API on a free port; `ann` and `ben` are tokens of sessions. */
export const listenApi = async (own: Record<string, AnyHandler>, limits: Partial<ApiLimits> = {}) => {
  const app = fastifyFactory(apiServerOptions)
  await createApi({
    fastify: app,
    handlers: handlersFor(own),
    authenticate: async (token) =>
      people.includes(token) ? { actor: actorOf(token) } : { failure: 'unknown' as const },
    authorize: allowAll,
    logger: silentLogger,
    metrics: noMetrics,
    limits,
  })
  const sockets: Socket[] = []
  app.server.on('connection', (socket: Socket) => sockets.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  return {
    origin: `http://127.0.0.1:${port}/api`,
    /** The server's sockets, in the order of their connections. */
    sockets,
    /** Opens a connection and sends `text`; `answer` resolves with the first bytes of the response. */
    send(text: string) {
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => {})
      const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
      return { socket, answer }
    },
  }
}

/** Returns the head of a POST request with a JSON body of `bytes`. */
export const head = (path: string, bytes: number, token?: string): string =>
  `POST /api${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n` +
  `${token === undefined ? '' : `authorization: Bearer ${token}\r\n`}\r\n`
