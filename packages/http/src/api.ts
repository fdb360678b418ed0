import { type CacheFollower, type Method, methodList } from '@tributary/contract'
import {
  type Actor,
  AppError,
  badRequest,
  isRecord,
  type Logger,
  type Metrics,
  notFound,
  unauthorized,
} from '@tributary/kernel'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { answerEarly, isLongUnread } from './bodies/early-answer.ts'
import { registerDocs } from './docs-page.ts'
import { expectedError, faultBody } from './errors.ts'
import { type AnyHandler, type Authorize, type Handlers, handlerOf } from './handlers.ts'
import { openApiDocument } from './openapi.ts'
import { type ApiLimits, createRequestBodies, defaultApiLimits, type RequestBodies } from './request-body.ts'
import { apiHeaders } from './security-headers.ts'
import { applyMask, parseInput } from './validation.ts'

/** Who a token or key stands for: somebody, nobody any more, or nobody ever. */
export type Authentication =
  | { actor: Actor }
  | { failure: 'expired' | 'unknown' | 'key-expired' | 'key-revoked' | 'key-unknown' }

const failures = {
  expired: unauthorized('token expired: sign in again', 'TOKEN_EXPIRED'),
  unknown: unauthorized('invalid auth userInfo: sign in again'),
  'key-expired': unauthorized('This API key has expired. Create another one', 'KEY_EXPIRED'),
  'key-revoked': unauthorized('This API key was revoked or rotated. Use one that is valid', 'KEY_REVOKED'),
  'key-unknown': unauthorized('This is not a valid API key', 'INVALID_KEY'),
} as const

/** An API key in an address. */
const keyInAddress = /[?&][^#]*\bapi_[\w-]{32}(?![\w-])/

export type ApiDeps = {
  fastify: FastifyInstance
  handlers: Handlers
  /** Finds who a bearer token stands for. */
  authenticate(token: string): Promise<Authentication>
  /** Asked for every call before its handler. */
  authorize: Authorize
  /** Resolves when these follow what a call has just changed; its answer waits for that. */
  readYourWrites?(followers: readonly CacheFollower[]): Promise<void>
  logger: Logger
  metrics: Metrics
  /** The client's address, after trusted proxies; the socket's when not given. */
  clientIp?(request: FastifyRequest['raw']): string
  /** Folder with the files of swagger-ui-dist; without it there is no readable page. */
  docsAssetsDir?: string
  /** Version of the product, for the API description. */
  version?: string
  limits?: Partial<ApiLimits>
  /** Calls worked on at the same time; more are told to come back. */
  maxInFlight?: number
}

/** The Fastify path of a contract's path: `:verb` is literal, parameters hold neither '/' nor ':'. */
export const routePath = (path: string): string => path.replace(/:/g, '::').replace(/\{(\w+)\}/g, ':$1([^/:]+)')

const jsonType = 'application/json; charset=utf-8'

const sendError = (reply: FastifyReply, body: ReturnType<AppError['toBody']>): FastifyReply => {
  const text = JSON.stringify(body)
  const retryAfter = body.metadata.retry_after
  const { raw } = reply.request
  if (isLongUnread(raw)) {
    const headers = { ...apiHeaders, 'content-type': jsonType, 'content-length': String(Buffer.byteLength(text)) }
    const all = retryAfter === undefined ? headers : { ...headers, 'retry-after': retryAfter }
    answerEarly(raw, reply.hijack().raw, body.code, Object.entries(all).flat(), text)
    return reply
  }
  // Whoever sends too slowly is not waited for.
  if (body.code === 408) reply.header('connection', 'close')
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  return reply.code(body.code).headers(apiHeaders).type(jsonType).send(text)
}

/** Options the Fastify instance needs so that addresses it cannot even route are answered in our words. */
export const apiServerOptions: FastifyServerOptions = {
  frameworkErrors: (error, _, reply) => {
    void sendError(
      reply,
      (expectedError(error) ?? badRequest('BAD_REQUEST', "The request can't be understood")).toBody(),
    )
  },
}

const bearer = (request: FastifyRequest): string | undefined =>
  /^Bearer +([A-Za-z0-9._~+/=-]{1,1000})$/i.exec(request.headers.authorization ?? '')?.[1]

const actorOf = async (deps: ApiDeps, method: Method, request: FastifyRequest): Promise<Actor | undefined> => {
  if (method.access.scope === 'anybody') return undefined
  // Addresses are written down on the way: by proxies, browsers, and whoever logs calls.
  if (keyInAddress.test(request.raw.url ?? ''))
    throw badRequest(
      'KEY_IN_ADDRESS',
      'An API key must not be part of the address. Send it as "Authorization: Bearer", and rotate this one',
    )
  const token = bearer(request)
  if (token === undefined) throw unauthorized('Sign in first: the access token is missing')
  const found = await deps.authenticate(token)
  if ('actor' in found) return found.actor
  throw failures[found.failure]
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
    if (typeof value !== 'string' || !/^[\w.-]{1,128}$/.test(value)) throw notFound('There is nothing with this name')
    params[name] = value
  }
  return params
}

const bodyOf = (method: Method, body: unknown, query: unknown): unknown => {
  if (method.request === undefined) return undefined
  const given = body === undefined ? {} : body
  if (method.verb !== 'PATCH') return parseInput(method.request, given)
  const mask = isRecord(query) && 'update_mask' in query ? query.update_mask : undefined
  return parseInput(method.request, applyMask(method, given, typeof mask === 'string' ? mask : undefined))
}

const addressOf = (deps: ApiDeps, request: FastifyRequest): string =>
  deps.clientIp?.(request.raw) ?? request.raw.socket.remoteAddress ?? ''

const answer = async (
  deps: ApiDeps,
  method: Method,
  handler: AnyHandler,
  actor: Actor | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> => {
  const params = paramsOf(request)
  const query = method.query === undefined ? undefined : parseInput(method.query, request.query)
  const body = bodyOf(method, request.body, query)
  const client = {
    ip: addressOf(deps, request),
    userAgent: String(request.headers['user-agent'] ?? '').slice(0, 500),
    host: request.headers.host ?? '',
  }
  const signal = goneSignal(reply)
  const found = await deps.authorize(method, actor, params)
  const result = await handler({ actor, params, query, body, client, signal, ...found })
  if (method.followedBy !== undefined) await deps.readYourWrites?.(method.followedBy)
  const checked = method.response.safeParse(result)
  if (!checked.success) throw new Error(`${method.name} answered outside of its contract`, { cause: checked.error })
  return JSON.stringify(checked.data)
}

/** Calls that are worked on at the moment. */
type Load = { within<T>(work: () => Promise<T>): Promise<T> }

const createLoad = (limit: number): Load => {
  let calls = 0
  return {
    async within(work) {
      if (calls >= limit) {
        throw new AppError(503, 'OVERLOADED', 'Too many calls at once; try again in a moment', { retry_after: '1' })
      }
      calls++
      try {
        return await work()
      } finally {
        calls--
      }
    },
  }
}

const registerMethod = (
  app: FastifyInstance,
  deps: ApiDeps,
  method: Method,
  { load, bodies, limits }: { load: Load; bodies: RequestBodies; limits: ApiLimits },
): void => {
  const handler = handlerOf(deps.handlers, method)
  app.route({
    method: method.verb,
    url: routePath(method.path),
    bodyLimit: method.access.scope === 'anybody' ? limits.publicBody : (method.bodyLimit ?? limits.body),
    // Before a byte of the body is read.
    async onRequest(request) {
      const actor = await load.within(() => actorOf(deps, method, request))
      bodies.admit(request, { actor, address: addressOf(deps, request) })
    },
    async handler(request, reply) {
      const started = performance.now()
      try {
        const actor = bodies.actorOf(request)
        const text = await load.within(() => answer(deps, method, handler, actor, request, reply))
        return reply.headers(apiHeaders).type(jsonType).send(text)
      } finally {
        bodies.release(request)
        deps.metrics.observe('api_call', performance.now() - started, { method: method.name })
      }
    },
  })
}

const registerErrors = (app: FastifyInstance, deps: ApiDeps): void => {
  app.setNotFoundHandler((request, reply) =>
    sendError(
      reply,
      notFound(
        `There is no endpoint ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}; see /api/docs`,
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
    if (error.name === 'AbortError' && reply.raw.destroyed) {
      // Whoever asked has gone, and so the call was given up: nobody hears the answer.
      deps.metrics.count('api_errors', 1, { code: '499' })
      return sendError(reply, body)
    }
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
  // Half a second of processor time, and nobody may ever ask: made for the first who does.
  let description: string | undefined
  const describe = (): string => {
    description ??= JSON.stringify(openApiDocument(methodList, deps.version ?? '0.1.0'))
    return description
  }
  const limits = { ...defaultApiLimits, ...deps.limits }
  const load = createLoad(deps.maxInFlight ?? 500)
  await deps.fastify.register(
    async (app) => {
      const bodies = createRequestBodies(app, limits)
      registerErrors(app, deps)
      for (const method of methodList) registerMethod(app, deps, method, { load, bodies, limits })
      app.get('/openapi.json', async (_, reply) => reply.headers(apiHeaders).type(jsonType).send(describe()))
      if (deps.docsAssetsDir !== undefined) registerDocs(app, deps.docsAssetsDir)
    },
    { prefix: '/api' },
  )
}
