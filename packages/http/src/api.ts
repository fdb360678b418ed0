import { type CacheFollower, type Method, methodList, pageBuildHeader } from '@tributary/contract'
import {
  type Actor,
  AppError,
  badRequest,
  inWork,
  isRecord,
  itemOf,
  type Logger,
  type Metrics,
  notFound,
  type PoolHold,
  unauthorized,
} from '@tributary/kernel'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { answerEarly, isLongUnread } from './bodies/early-answer.ts'
import { type CallsInFlight, createCallsInFlight } from './calls-in-flight.ts'
import { registerDocs } from './docs-page.ts'
import { expectedError, faultBody } from './errors.ts'
import { type AnyHandler, type Authorize, type Handlers, handlerOf } from './handlers.ts'
import { hasKeyInAddress } from './key-in-address.ts'
import { openApiDocument } from './openapi.ts'
import { type ApiLimits, createRequestBodies, defaultApiLimits, type RequestBodies } from './request-body.ts'
import { apiHeaders } from './security-headers.ts'
import { ignoredBy, unknownBodyKeys, unknownQueryKeys } from './unknown-keys.ts'
import { applyMask, type Issue, parseInput } from './validation.ts'

/** The actor of a token or key, or why the token or key was rejected. */
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

export type ApiDeps = {
  fastify: FastifyInstance
  handlers: Handlers
  /** Finds the actor of a bearer token. */
  authenticate(token: string): Promise<Authentication>
  /** Called for every call before its handler. */
  authorize: Authorize
  /** Resolves when these followers have read the change of a call; the response waits for that. */
  readYourWrites?(followers: readonly CacheFollower[]): Promise<void>
  logger: Logger
  metrics: Metrics
  /** Returns the client's IP address behind trusted proxies; the default is the address of the socket. */
  clientIp?(request: FastifyRequest['raw']): string
  /** Folder with the files of swagger-ui-dist; without it, there is no documentation page. */
  docsAssetsDir?: string
  /** Version of the product, for the API description. */
  version?: string
  /**
   * The build of the pages that this server serves. During a rolling update, a page of another build may send unknown
   * fields, which are ignored.
   */
  pageBuild?: string | undefined
  limits?: Partial<ApiLimits>
  /** Maximum concurrent calls; further calls get a response that asks to retry later. */
  maxInFlight?: number
}

/** Converts a path of the contract to Fastify's syntax: `:verb` is literal, parameters contain neither '/' nor ':'. */
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
  // A client that sends too slowly loses its connection.
  if (body.code === 408) reply.header('connection', 'close')
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  return reply.code(body.code).headers(apiHeaders).type(jsonType).send(text)
}

/** Options of the Fastify instance, which give our error body to URLs that Fastify cannot route. */
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
  // A key in a URL is refused, because proxies, browsers, and call logs record URLs.
  if (hasKeyInAddress(request.raw.url ?? ''))
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

const bodyOf = (method: Method, body: unknown, query: unknown, unknown: readonly Issue[]): unknown => {
  const given = body === undefined ? {} : body
  if (method.verb !== 'PATCH' || method.request === undefined) return parseInput(method.request, given, unknown)
  const mask = isRecord(query) && 'update_mask' in query ? query.update_mask : undefined
  return parseInput(method.request, applyMask(method, given, typeof mask === 'string' ? mask : undefined), unknown)
}

const addressOf = (deps: ApiDeps, request: FastifyRequest): string =>
  deps.clientIp?.(request.raw) ?? request.raw.socket.remoteAddress ?? ''

/** A running call, with its slot. */
type UnderWay = {
  actor: Actor | undefined
  request: FastifyRequest
  gone: AbortSignal
  place: { hold: PoolHold; calls: CallsInFlight }
}

/** Whether a request comes from a page of a build other than the served one. */
const isOfAnotherBuild = (deps: ApiDeps, request: FastifyRequest): boolean => {
  const build = request.headers[pageBuildHeader]
  return build !== undefined && build !== deps.pageBuild
}

type Route = { method: Method; handler: AnyHandler; ignored: ReturnType<typeof ignoredBy> }

const answer = async (
  deps: ApiDeps,
  { method, handler, ignored }: Route,
  { actor, request, gone: signal, place }: UnderWay,
): Promise<string> => {
  const params = paramsOf(request)
  const ignoresUnknown = isOfAnotherBuild(deps, request)
  const query = parseInput(method.query, request.query, ignoresUnknown ? [] : unknownQueryKeys(method, request.query))
  const mask = isRecord(query) ? query.update_mask : undefined
  // A field outside of the mask is not changed, even if the body has a value for it.
  const isMasked = typeof mask === 'string' && mask.trim() !== '' && mask.trim() !== '*'
  const unknownFields = ignoresUnknown
    ? []
    : unknownBodyKeys(method, isMasked ? ignored.masked : ignored.always, request.body)
  const body = bodyOf(method, request.body, query, unknownFields)
  const client = {
    ip: addressOf(deps, request),
    userAgent: String(request.headers['user-agent'] ?? '').slice(0, 500),
    host: request.headers.host ?? '',
  }
  const found = await deps.authorize(method, actor, params)
  const organizationId = found.workspace?.organizationId ?? found.organization?.id
  if (organizationId !== undefined) place.calls.joinOrganization(place.hold, organizationId)
  const result = await handler({ actor, params, query, body, client, signal, ...found })
  if (method.followedBy !== undefined) await deps.readYourWrites?.(method.followedBy)
  const checked = method.response.safeParse(result)
  if (!checked.success) throw new Error(`${method.name} answered outside of its contract`, { cause: checked.error })
  return JSON.stringify(checked.data)
}

/**
 * Identifies the work of a call by its method, workspace, actor, URL, and body size, so that a repetition is
 * recognized.
 */
const workOf = (method: Method, actor: Actor | undefined, request: FastifyRequest) => {
  const { workspace = '' } = isRecord(request.params) ? request.params : {}
  const who = actor?.key?.id ?? actor?.userId ?? ''
  return {
    step: method.name,
    workspaceId: String(workspace),
    item: itemOf(`call ${method.name} ${request.raw.url} ${request.headers['content-length'] ?? 0} ${who}`),
  }
}

const registerMethod = (
  app: FastifyInstance,
  deps: ApiDeps,
  method: Method,
  { calls, bodies, limits }: { calls: CallsInFlight; bodies: RequestBodies; limits: ApiLimits },
): void => {
  const route = { method, handler: handlerOf(deps.handlers, method), ignored: ignoredBy(method, methodList) }
  app.route({
    method: method.verb,
    url: routePath(method.path),
    bodyLimit: method.access.scope === 'anybody' ? limits.publicBody : (method.bodyLimit ?? limits.body),
    // This hook runs before the body is read.
    async onRequest(request) {
      const address = addressOf(deps, request)
      const hold = calls.arrive(address)
      try {
        const actor = await actorOf(deps, method, request)
        bodies.admit(request, { actor, address, work: method.name })
      } finally {
        hold.release()
      }
    },
    async handler(request, reply) {
      const started = performance.now()
      let hold: PoolHold | undefined
      try {
        const actor = bodies.actorOf(request)
        const gone = goneSignal(reply)
        hold = calls.begin({ actor, address: addressOf(deps, request), work: method.name })
        const place = { hold, calls }
        const text = await inWork(
          workOf(method, actor, request),
          () => answer(deps, route, { actor, request, gone, place }),
          gone,
        )
        return reply.headers(apiHeaders).type(jsonType).send(text)
      } finally {
        hold?.release()
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
      // The client has disconnected and the call was aborted, so that no client receives this response.
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
 * Serves every method of the contract below `/api`, with `openapi.json` and the documentation page `docs`. Input and
 * output are checked against the schemas: bad input returns 400 with the fields, a response that breaks its schema is a
 * fault. Every error has the body with code, reason, message, and metadata. Throws if a method has no handler.
 */
export const createApi = async (deps: ApiDeps): Promise<void> => {
  // The description is created on the first request: it takes half a second of processor time and may never be
  // requested.
  let description: string | undefined
  const describe = (): string => {
    description ??= JSON.stringify(openApiDocument(methodList, deps.version ?? '0.2.0'))
    return description
  }
  const limits = { ...defaultApiLimits, ...deps.limits }
  const calls = createCallsInFlight(deps.maxInFlight ?? 500)
  await deps.fastify.register(
    async (app) => {
      const bodies = createRequestBodies(app, limits)
      registerErrors(app, deps)
      for (const method of methodList) registerMethod(app, deps, method, { calls, bodies, limits })
      app.get('/openapi.json', async (_, reply) => reply.headers(apiHeaders).type(jsonType).send(describe()))
      if (deps.docsAssetsDir !== undefined) registerDocs(app, deps.docsAssetsDir)
    },
    { prefix: '/api' },
  )
}
