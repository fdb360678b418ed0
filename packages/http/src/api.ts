import { type Method, methodList } from '@tributary/contract'
import { type Actor, AppError, badRequest, type Logger, type Metrics, notFound, unauthorized } from '@tributary/kernel'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { registerDocs } from './docs-page.ts'
import { expectedError, faultBody } from './errors.ts'
import { type AnyHandler, type Handlers, handlerOf } from './handlers.ts'
import { openApiDocument } from './openapi.ts'
import { apiHeaders } from './security-headers.ts'
import { applyMask, parseInput } from './validation.ts'

/** Who a token stands for: somebody, nobody any more, or nobody ever. */
export type Authentication = { actor: Actor } | { failure: 'expired' | 'unknown' }

export type ApiDeps = {
  fastify: FastifyInstance
  handlers: Handlers
  /** Finds who a bearer token stands for. */
  authenticate(token: string): Promise<Authentication>
  logger: Logger
  metrics: Metrics
  /** The client's address, after trusted proxies; the socket's when not given. */
  clientIp?(request: FastifyRequest['raw']): string
  /** Folder with the files of swagger-ui-dist; without it there is no readable page. */
  docsAssetsDir?: string
  /** Version of the product, for the API description. */
  version?: string
  /** Largest body in bytes. */
  bodyLimit?: number
  /** Calls worked on at the same time; more are told to come back. */
  maxInFlight?: number
}

/** The Fastify path of a contract's path: `:verb` is literal, parameters hold neither '/' nor ':'. */
export const routePath = (path: string): string => path.replace(/:/g, '::').replace(/\{(\w+)\}/g, ':$1([^/:]+)')

const sendError = (reply: FastifyReply, body: ReturnType<AppError['toBody']>): FastifyReply => {
  if (body.metadata.retry_after !== undefined) reply.header('retry-after', body.metadata.retry_after)
  return reply.code(body.code).headers(apiHeaders).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** Options the Fastify instance needs so that addresses it cannot even route are answered in our words. */
export const apiServerOptions: FastifyServerOptions = {
  frameworkErrors: (error, _, reply) => {
    void sendError(
      reply,
      (expectedError(error) ?? badRequest('BAD_REQUEST', 'The request cannot be understood')).toBody(),
    )
  },
}

const bearer = (request: FastifyRequest): string | undefined =>
  /^Bearer +([A-Za-z0-9._~+/=-]{1,1000})$/i.exec(request.headers.authorization ?? '')?.[1]

const actorOf = async (deps: ApiDeps, method: Method, request: FastifyRequest): Promise<Actor | undefined> => {
  if (method.public) return undefined
  const token = bearer(request)
  if (token === undefined) throw unauthorized('Log in first: the access token is missing')
  const found = await deps.authenticate(token)
  if ('actor' in found) return found.actor
  if (found.failure === 'expired') throw unauthorized('token expired: log in again', 'TOKEN_EXPIRED')
  throw unauthorized('invalid auth userInfo: log in again')
}

const goneSignal = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}

const paramsOf = (request: FastifyRequest): Record<string, string> => {
  const params: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.params ?? {})) {
    if (typeof value !== 'string' || !/^[\w.-]{1,128}$/.test(value)) throw notFound('There is nothing of this name')
    params[name] = value
  }
  return params
}

const bodyOf = (method: Method, body: unknown, query: unknown): unknown => {
  if (method.request === undefined) return undefined
  const given = body === undefined ? {} : body
  if (method.verb !== 'PATCH') return parseInput(method.request, given)
  const mask = typeof query === 'object' && query !== null && 'update_mask' in query ? query.update_mask : undefined
  return parseInput(method.request, applyMask(method, given, typeof mask === 'string' ? mask : undefined))
}

const answer = async (
  deps: ApiDeps,
  method: Method,
  handler: AnyHandler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> => {
  const actor = await actorOf(deps, method, request)
  const params = paramsOf(request)
  const query = method.query === undefined ? undefined : parseInput(method.query, request.query)
  const body = bodyOf(method, request.body, query)
  const client = {
    ip: deps.clientIp?.(request.raw) ?? request.raw.socket.remoteAddress ?? '',
    userAgent: String(request.headers['user-agent'] ?? '').slice(0, 500),
    host: request.headers.host ?? '',
  }
  const result = await handler({ actor, params, query, body, client, signal: goneSignal(reply) })
  const checked = method.response.safeParse(result)
  if (!checked.success) throw new Error(`${method.name} answered outside of its contract`, { cause: checked.error })
  return JSON.stringify(checked.data)
}

const registerMethod = (app: FastifyInstance, deps: ApiDeps, method: Method, load: { calls: number }): void => {
  const handler = handlerOf(deps.handlers, method)
  const maxInFlight = deps.maxInFlight ?? 500
  app.route({
    method: method.verb,
    url: routePath(method.path),
    ...(method.bodyLimit === undefined ? {} : { bodyLimit: method.bodyLimit }),
    async handler(request, reply) {
      if (load.calls >= maxInFlight) {
        throw new AppError(503, 'OVERLOADED', 'Too many calls at once; try again in a moment', { retry_after: '1' })
      }
      load.calls++
      const started = performance.now()
      try {
        const text = await answer(deps, method, handler, request, reply)
        return reply.headers(apiHeaders).type('application/json; charset=utf-8').send(text)
      } finally {
        load.calls--
        deps.metrics.observe('api_call', performance.now() - started, { method: method.name })
      }
    },
  })
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text, (key, value) => {
      if (key === '__proto__') throw new SyntaxError('forbidden key')
      return value
    })
  } catch {
    throw badRequest('MALFORMED_JSON', 'The body is not valid JSON')
  }
}

const registerParsing = (app: FastifyInstance, bodyLimit: number): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit }, (_, text, done) => {
    try {
      done(null, text.length === 0 ? undefined : parseJson(String(text)))
    } catch (error) {
      done(error instanceof Error ? error : new Error('unreadable body'))
    }
  })
}

const registerErrors = (app: FastifyInstance, deps: ApiDeps): void => {
  app.setNotFoundHandler((request, reply) =>
    sendError(
      reply,
      notFound(
        `There is no call ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}; see /api/docs`,
        'NO_SUCH_CALL',
      ).toBody(),
    ),
  )
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const expected = expectedError(error)
    if (expected !== undefined) {
      deps.metrics.count('api_errors', 1, { code: String(expected.code) })
      return sendError(reply, expected.toBody())
    }
    const body = faultBody()
    deps.metrics.count('api_errors', 1, { code: '500' })
    deps.logger.error(
      { err: error, errorId: body.metadata.error_id, route: request.routeOptions.url },
      'API call failed',
    )
    return sendError(reply, body)
  })
}

/**
 * Serves every method of the contract below `/api`, with `openapi.json` and the readable page `docs`. What comes in and
 * what goes out is checked against the schemas: bad input is 400 with the fields, an answer outside of its schema is a
 * fault. Every error has the four-key body. Throws when a method has no handler.
 */
export const createApi = async (deps: ApiDeps): Promise<void> => {
  const description = JSON.stringify(openApiDocument(methodList, deps.version ?? '0.1.0'))
  const load = { calls: 0 }
  await deps.fastify.register(
    async (app) => {
      registerParsing(app, deps.bodyLimit ?? 1024 * 1024)
      registerErrors(app, deps)
      for (const method of methodList) registerMethod(app, deps, method, load)
      app.get('/openapi.json', async (_, reply) =>
        reply.headers(apiHeaders).type('application/json; charset=utf-8').send(description),
      )
      if (deps.docsAssetsDir !== undefined) registerDocs(app, deps.docsAssetsDir)
    },
    { prefix: '/api' },
  )
}
