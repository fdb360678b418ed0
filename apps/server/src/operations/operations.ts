import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TokenCheck } from '../secrets/metrics-token.ts'

/**
 * State of one part of the product in health. An `optional` part that is down is reported, but does not make the
 * process unready.
 */
export type PartState = { ok: boolean; detail?: string; optional?: true }

const answer = (response: ServerResponse, status: number, type: string, body: string): void => {
  response
    .writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .end(body)
}

/** Time in ms for which the result of a check is used for further requests. */
const lookMs = 100

/**
 * Shares one check between the requests during it and shortly after it, since a check queries engines and any client
 * may request one.
 */
const shared = <Found>(look: () => Promise<Found>): (() => Promise<Found>) => {
  let last: Promise<Found> | undefined
  let isOver = true
  let endedAt = 0
  return () => {
    if (last !== undefined && (!isOver || performance.now() - endedAt < lookMs)) return last
    isOver = false
    last = look().finally(() => {
      isOver = true
      endedAt = performance.now()
    })
    return last
  }
}

/**
 * Serves `/health/live` (the process is running), `/health/ready` and `/metrics` (Prometheus text, with its token
 * only). Readiness lists all parts with their state, and is 503 unless every required part is up. `/health`, `/version`
 * and `/robots.txt` are paths that operators of other collection servers expect.
 */
export const createOperations = (deps: {
  parts: () => Promise<Record<string, PartState>>
  metrics: () => Promise<string>
  mayReadMetrics: TokenCheck
  version: string
}) => {
  const fixed: ReadonlyMap<string, readonly [type: string, body: string]> = new Map<string, readonly [string, string]>([
    ['/health/live', ['application/json', '{"ok":true}']],
    ['/health', ['application/json', '{"ok":true}']],
    ['/version', ['application/json', JSON.stringify({ name: 'tributary', version: deps.version })]],
    ['/robots.txt', ['text/plain; charset=utf-8', 'User-agent: *\nDisallow: /\n']],
  ])
  const look = shared(deps.parts)
  const ready = async (response: ServerResponse): Promise<void> => {
    const parts = await look()
    const ok = Object.values(parts).every((part) => part.ok || part.optional === true)
    answer(response, ok ? 200 : 503, 'application/json', JSON.stringify({ ok, parts }))
  }
  const metrics = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!deps.mayReadMetrics(request)) {
      response.setHeader('www-authenticate', 'Bearer')
      answer(
        response,
        401,
        'text/plain; charset=utf-8',
        'Metrics are shown with "Authorization: Bearer <token>": TRIBUTARY_METRICS_TOKEN, or metrics.token of the data folder.\n',
      )
    } else answer(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await deps.metrics())
  }
  return {
    handles: (path: string): boolean => fixed.has(path) || path === '/health/ready' || path === '/metrics',
    handle(request: IncomingMessage, response: ServerResponse): void {
      const path = (request.url ?? '').split('?')[0]
      const known = fixed.get(path ?? '')
      if (known !== undefined) answer(response, 200, known[0], known[1])
      else
        void (path === '/metrics' ? metrics(request, response) : ready(response)).catch(() =>
          answer(response, 500, 'text/plain', 'failed\n'),
        )
    },
  }
}
