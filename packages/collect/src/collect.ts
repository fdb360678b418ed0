import type { IncomingMessage, ServerResponse } from 'node:http'
import { discardBody } from '@tributary/http'
import { createWorkShare } from '@tributary/kernel'
import { sendPreflight, sendSuccess } from './answer.ts'
import { createTurns } from './body/turns.ts'
import { type BrowserSdk, loadBrowserSdk } from './calls/browser-sdk.ts'
import { forwardedBatch } from './calls/forwarded-batch.ts'
import { createPixels } from './calls/pixels.ts'
import { createStartCalls } from './calls/start-calls.ts'
import { type BodyTransform, createTracking } from './calls/tracking.ts'
import { outerKey } from './credentials.ts'
import { createIngestionContext, type IngestionContext } from './ingestion-context.ts'
import type { CollectDeps } from './ports.ts'
import * as refusals from './refusal.ts'
import { findRoute, isCollectPath, methodsOf } from './routes.ts'
import { createTagCalls } from './tag/tag-calls.ts'
import { createWebhook } from './webhook/webhook.ts'

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
