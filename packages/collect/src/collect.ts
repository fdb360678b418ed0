import type { IncomingMessage, ServerResponse } from 'node:http'
import { type EventType, eventTypes } from '@tributary/contract'
import { discardBody } from '@tributary/http'
import { createWorkShare } from '@tributary/kernel'
import { sendPreflight, sendSuccess } from './answer.ts'
import { createTurns } from './body/turns.ts'
import { outerKey } from './caller.ts'
import { type BrowserSdk, loadBrowserSdk } from './calls/browser-sdk.ts'
import { forwardedBatch } from './calls/forwarded-batch.ts'
import { createPixels } from './calls/pixels.ts'
import { createStartCalls } from './calls/start-calls.ts'
import { type BodyTransform, createTracking } from './calls/tracking.ts'
import { createIngestionContext, type IngestionContext, type Route } from './ingestion-context.ts'
import type { CollectDeps } from './ports.ts'
import * as refusals from './refusal.ts'
import { createTagCalls } from './tag/tag-calls.ts'
import { createWebhook } from './webhook/webhook.ts'

const letters: ReadonlyMap<string, EventType> = new Map(
  Object.entries({ t: 'track', i: 'identify', p: 'page', s: 'screen', g: 'group', a: 'alias' } as const),
)

const exact = new Map<string, Route>([
  ...eventTypes.map((type): [string, Route] => [`/v1/${type}`, { kind: 'single', type, client: false }]),
  ...[...letters].map(([letter, type]): [string, Route] => [`/v1/${letter}`, { kind: 'single', type, client: true }]),
  ['/v1/batch', { kind: 'batch', client: false }],
  ['/v1/import', { kind: 'batch', client: false }],
  ['/v1/b', { kind: 'batch', client: true }],
  ['/beacon/v1/batch', { kind: 'batch', client: true }],
  ['/v1/webhook', { kind: 'webhook' }],
  ['/v1/forward', { kind: 'forward' }],
  ['/v1/m', { kind: 'discard' }],
  ['/m', { kind: 'discard' }],
  ['/rsaRequest', { kind: 'discard' }],
  ['/rsaMetrics', { kind: 'discard' }],
  ['/sourceConfig', { kind: 'source-config' }],
])

const prefixes = [
  '/v1/',
  '/beacon/',
  '/pixel/',
  '/projects/',
  '/sourceConfig',
  '/rsaRequest',
  '/rsaMetrics',
  '/analytics.js/',
  '/analytics-next/',
  '/next-integrations/',
  '/tag/',
]

/** Whether a path belongs to collection, known or not. Needs no parsing. */
export const isCollectPath = (url: string): boolean => {
  for (const prefix of prefixes) if (url.startsWith(prefix)) return true
  return url === '/m' || url === '/m/'
}

const settingsPath = /^(?:\/v1)?(?:\/projects){1,2}\/([^/]+)\/settings$/
const scriptPath = /^\/analytics\.js\/v1\/([^/]+)\/(?:platform\/)?analytics(?:\.min)?\.js$/
const bundlePath = /^\/analytics-next\/bundles\/([^/]+)$/
const tagPath = /^\/tag\/v1\/([^/]+)\/(tag\.js|cookies)$/
const pixelPath = /^\/(v1\/pixel|pixel\/v1)\/([a-z]+)$/

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const pixelRoute = (path: string): Route | undefined => {
  const [, form, name] = pixelPath.exec(path) ?? []
  if (form === undefined || name === undefined) return undefined
  const type = eventTypes.find((known) => known === name) ?? letters.get(name)
  if (type === undefined) return undefined
  return { kind: form === 'v1/pixel' ? 'data-pixel' : 'query-pixel', type, client: true }
}

/** Returns the route of a path without its query; a trailing slash is ignored. */
export const findRoute = (path: string): Route | undefined => {
  const known = exact.get(path)
  if (known !== undefined) return known
  if (path.length > 1 && path.endsWith('/')) return findRoute(path.slice(0, -1))
  const settings = settingsPath.exec(path)?.[1]
  if (settings !== undefined) return { kind: 'settings', key: decoded(settings) }
  const script = scriptPath.exec(path)?.[1]
  if (script !== undefined) return { kind: 'script', key: decoded(script) }
  const file = bundlePath.exec(path)?.[1]
  if (file !== undefined) return { kind: 'bundle', file }
  const [, key, part] = tagPath.exec(path) ?? []
  if (key !== undefined) return { kind: part === 'cookies' ? 'tag-cookies' : 'tag', key: decoded(key) }
  return pixelRoute(path)
}

/** Returns the HTTP methods of a route, except OPTIONS. */
export const methodsOf = (route: Route): readonly string[] =>
  posted.has(route.kind) ? post : route.kind === 'webhook' ? getOrPost : get

const posted: ReadonlySet<Route['kind']> = new Set(['single', 'batch', 'forward', 'discard', 'tag-cookies'])
const getOrPost = ['GET', 'POST']
const post = ['POST']
const get = ['GET', 'HEAD']

export type Collect = {
  /** Whether the path of a request belongs to collection. Takes only a few comparisons. */
  handles(req: IncomingMessage): boolean
  /** Handles the request; the response is sent immediately, or when the request is on disk. Never throws. */
  handle(req: IncomingMessage, res: ServerResponse): void
  /**
   * Returns the names of those changes of spreads whose workspace has no append in flight in this process. A change
   * that just became known is only in a later result.
   */
  paused(): string[]
  /** Loads the browser SDK, and starts to flush rejections and metrics about every second. */
  start(): void
  /**
   * Finishes running requests, rejects new ones with 503, and flushes the counters. Close the server's listener first.
   */
  stop(): Promise<void>
}

/**
 * Coordination topic for the progress of the pipeline. For each partition it has an offset; every earlier request is
 * processed.
 */
export const positionsTopic = 'pipeline.positions'

const forwarded: BodyTransform = (given) => {
  const body = forwardedBatch(given)
  return Buffer.isBuffer(body) ? { body } : body
}

/** Creates the function that gives a request to the handler of its route. */
const createDispatch = (
  context: IngestionContext,
  deps: CollectDeps,
  sdk: () => BrowserSdk | undefined,
): ((req: IncomingMessage, res: ServerResponse) => void) => {
  const { keys } = deps
  const track = createTracking(context, keys, createTurns(deps.workShare ?? createWorkShare(), context.settings.turns))
  const webhook = createWebhook(context, deps)
  const pixel = createPixels(context, keys)
  const tag = createTagCalls({ context, keys, code: deps.tag, publicUrl: deps.publicUrl })
  const start = createStartCalls({
    context,
    keys,
    sdk,
    publicUrl: deps.publicUrl,
    updatedAt: new Date(deps.clock()).toISOString(),
  })

  return (req, res) => {
    if (req.method === 'OPTIONS') return sendPreflight(req, res)
    const url = req.url ?? ''
    const mark = url.indexOf('?')
    const request = { req, res, query: mark < 0 ? '' : url.slice(mark + 1) }
    const route = findRoute(mark < 0 ? url : url.slice(0, mark))
    if (route === undefined) {
      const known = url.startsWith('/next-integrations/') || url.startsWith('/analytics')
      return context.refuse(request, 'unknown', known ? refusals.notHosted : refusals.unknownPath)
    }
    const allowed = methodsOf(route)
    if (!allowed.includes(req.method ?? '')) return context.refuse(request, 'unknown', refusals.wrongMethod(allowed))
    switch (route.kind) {
      case 'single':
      case 'batch':
        return track(request, route)
      case 'webhook':
        // The service makes the body, so the key cannot be inside.
        if (outerKey(req.headers, request.query) === undefined)
          return context.refuse(request, 'single', refusals.missingKey)
        return track(request, { kind: 'single', type: 'track', client: false }, webhook)
      case 'forward':
        return track(request, { kind: 'batch', client: false, forwarded: true }, forwarded)
      case 'data-pixel':
      case 'query-pixel':
        return pixel(request, route)
      case 'discard':
        discardBody(req)
        return sendSuccess(req, res)
      case 'tag':
      case 'tag-cookies':
        return tag(request, route)
      default:
        return start(request, route)
    }
  }
}

/**
 * Creates the handler of the tracking API and of the start calls of SDKs, on plain node:http. A request gets 200 only
 * after its record is durable in the log. A request waits only for its own body and the disk.
 */
export const createCollect = (deps: CollectDeps): Collect => {
  const context = createIngestionContext(deps)
  let sdk: BrowserSdk | undefined
  let timer: NodeJS.Timeout | undefined
  let unsubscribe: (() => void) | undefined
  let draining = false
  const dispatch = createDispatch(context, deps, () => sdk)

  const flush = (): Promise<void> => {
    context.metricsBuffer.flush()
    deps.metrics.gauge('collect_buffered_bytes', context.buffered())
    return context.counter.flush()
  }

  return {
    handles: (req) => isCollectPath(req.url ?? ''),
    handle(req, res) {
      try {
        if (draining) res.shouldKeepAlive = false
        dispatch(req, res)
      } catch (error) {
        context.fail({ req, res }, error)
      }
    },
    paused: context.producer.paused,
    start() {
      sdk = loadBrowserSdk()
      unsubscribe = deps.coordination.subscribe(positionsTopic, context.quota.processed)
      timer = setInterval(() => void flush(), context.settings.flushMs)
      timer.unref()
    },
    async stop() {
      draining = true
      clearInterval(timer)
      context.producer.close()
      const deadline = new Promise<void>((resolve) => setTimeout(resolve, context.settings.drainMs).unref())
      await Promise.race([context.producer.idle(), deadline])
      context.close()
      unsubscribe?.()
      // This call may wait for a flush that is already running. The next call writes the counts that were added after
      // that flush began.
      await flush()
      await flush()
    },
  }
}
