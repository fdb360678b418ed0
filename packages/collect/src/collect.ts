import type { IncomingMessage, ServerResponse } from 'node:http'
import { discardBody } from '@tributary/http'
import { createWorkShare } from '@tributary/kernel'
import { sendPreflight, sendSuccess } from './answer.ts'
import { type BrowserSdk, loadBrowserSdk } from './browser-sdk.ts'
import { outerKey } from './credentials.ts'
import { createDesk } from './desk.ts'
import { forwardedBatch } from './forwarded-batch.ts'
import { createPixels } from './pixels.ts'
import type { CollectDeps } from './ports.ts'
import * as refusals from './refusal.ts'
import { findRoute, isCollectPath, methodsOf } from './routes.ts'
import { createStartCalls } from './start-calls.ts'
import { createTracking, type Wrap } from './tracking.ts'
import { createTurns } from './turns.ts'
import { createWebhook } from './webhook.ts'

export type Collect = {
  /** True for requests whose path belongs to collection; costs a few comparisons. */
  handles(req: IncomingMessage): boolean
  /** Answers the request, at once or when it is on disk. Never throws. */
  handle(req: IncomingMessage, res: ServerResponse): void
  /** Loads the browser SDK and begins to write refusals and metrics about every second. */
  start(): void
  /** Answers what runs, refuses what is new with 503, writes what was counted. Close the server's listener first. */
  stop(): Promise<void>
}

/** Coordination topic on which the pipeline reports `{[workspaceId]: body bytes processed since its start}`. */
export const processedTopic = 'pipeline.processed'

const forwarded: Wrap = (sent) => {
  const body = forwardedBatch(sent)
  return Buffer.isBuffer(body) ? { body } : body
}

/**
 * The tracking API and the start-up endpoints of the SDKs, on bare node:http. A request is answered 200 only after its
 * record is durable in the log. No request waits for anything but its own body and the disk.
 */
export const createCollect = (deps: CollectDeps): Collect => {
  const { keys, clock, metrics } = deps
  const desk = createDesk(deps)
  let sdk: BrowserSdk | undefined
  let timer: NodeJS.Timeout | undefined
  let unsubscribe: (() => void) | undefined
  let draining = false
  const track = createTracking(desk, keys, createTurns(deps.workShare ?? createWorkShare(), desk.settings.turns))
  const webhook = createWebhook(desk, deps)
  const pixel = createPixels(desk, keys)
  const start = createStartCalls({
    desk,
    keys,
    sdk: () => sdk,
    publicUrl: deps.publicUrl,
    updatedAt: new Date(clock()).toISOString(),
  })

  const dispatch = (req: IncomingMessage, res: ServerResponse): void => {
    if (draining) res.shouldKeepAlive = false
    if (req.method === 'OPTIONS') return sendPreflight(req, res)
    const url = req.url ?? ''
    const mark = url.indexOf('?')
    const asked = { req, res, query: mark < 0 ? '' : url.slice(mark + 1) }
    const route = findRoute(mark < 0 ? url : url.slice(0, mark))
    if (route === undefined) {
      const known = url.startsWith('/next-integrations/') || url.startsWith('/analytics')
      return desk.refuse(asked, 'unknown', known ? refusals.notHosted : refusals.unknownPath)
    }
    const allowed = methodsOf(route)
    if (!allowed.includes(req.method ?? '')) return desk.refuse(asked, 'unknown', refusals.wrongMethod(allowed))
    switch (route.kind) {
      case 'single':
      case 'batch':
        return track(asked, route)
      case 'webhook':
        // Its body is the service's own and names no key.
        if (outerKey(req.headers, asked.query) === undefined) return desk.refuse(asked, 'single', refusals.missingKey)
        return track(asked, { kind: 'single', type: 'track', client: false }, webhook)
      case 'forward':
        return track(asked, { kind: 'batch', client: false, forwarded: true }, forwarded)
      case 'data-pixel':
      case 'query-pixel':
        return pixel(asked, route)
      case 'discard':
        discardBody(req)
        return sendSuccess(req, res)
      default:
        return start(asked, route)
    }
  }

  const flush = (): Promise<void> => {
    desk.tally.flush()
    metrics.gauge('collect_buffered_bytes', desk.buffered())
    return desk.counter.flush()
  }

  return {
    handles: (req) => isCollectPath(req.url ?? ''),
    handle(req, res) {
      try {
        dispatch(req, res)
      } catch (error) {
        desk.fail({ req, res }, error)
      }
    },
    start() {
      sdk = loadBrowserSdk()
      unsubscribe = deps.coordination.subscribe(processedTopic, desk.backlog.processed)
      timer = setInterval(() => void flush(), desk.settings.flushMs)
      timer.unref()
    },
    async stop() {
      draining = true
      clearInterval(timer)
      const deadline = new Promise<void>((resolve) => setTimeout(resolve, desk.settings.drainMs).unref())
      await Promise.race([desk.intake.idle(), deadline])
      desk.close()
      unsubscribe?.()
      // The first call may be a flush that runs already; the second takes what came in meanwhile.
      await flush()
      await flush()
    },
  }
}
