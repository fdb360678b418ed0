import { createHash, createHmac } from 'node:crypto'
import {
  classifyStatus,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type OutgoingEvent,
  type OutgoingRequest,
  parseRetryAfter,
  requestText,
  responseText,
  type Settings,
} from '@tributary/connector-kit'

/**
 * The signature header: HMAC-SHA256 (RFC 2104, hex) over `<timestamp>.<body>`, timestamp in seconds, so that a recorded
 * request cannot be played back later.
 */
const sign = (secret: string, timestamp: number, body: string): string =>
  `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`

/** Same events, same key, whatever the time and the attempt. */
const batchKey = (batch: readonly OutgoingEvent[]): string => {
  const hash = createHash('sha256')
  for (const event of batch) hash.update(event.eventId).update('\n')
  return hash.digest('hex').slice(0, 32)
}

const ownHeaders = (
  settings: Settings,
  batch: readonly OutgoingEvent[],
  body: string,
  now: number,
): Record<string, string> => {
  const [first] = batch
  const together = settings.batching === true
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'Tributary/1.0',
    'idempotency-key': together || first === undefined ? batchKey(batch) : first.eventId,
  }
  if (together) headers['x-tributary-event-count'] = String(batch.length)
  else if (first !== undefined) headers['x-tributary-event-id'] = first.eventId
  const secret = settings.signing_secret
  if (typeof secret === 'string') headers['x-tributary-signature'] = sign(secret, Math.floor(now / 1000), body)
  return headers
}

/** A user's header replaces ours of the same name, except those that say what the request is. */
const mergeHeaders = (own: Record<string, string>, custom: Settings[string]): Record<string, string> => {
  const merged = { ...own }
  if (typeof custom !== 'object') return merged
  for (const [name, value] of Object.entries(custom)) {
    const lower = name.toLowerCase()
    if (lower.startsWith('x-tributary-') || lower === 'idempotency-key') continue
    merged[lower] = value
  }
  return merged
}

const secretsOf = (settings: Settings): string[] => {
  const headers = typeof settings.headers === 'object' ? Object.values(settings.headers) : []
  const credentials = headers.map((value) => value.replace(/^(Bearer|Basic) /i, ''))
  return [...credentials, ...(typeof settings.signing_secret === 'string' ? [settings.signing_secret] : [])]
}

/** The request as it may be kept: values of the user's headers and the signature are hidden. */
const keepRequest = (request: OutgoingRequest, settings: Settings): string => {
  const custom = typeof settings.headers === 'object' ? Object.keys(settings.headers) : []
  const hidden = new Set([...custom.map((name) => name.toLowerCase()), 'x-tributary-signature'])
  return requestText({ ...request, body: request.body ?? '' }, hidden)
}

/**
 * Sends a batch in one request. 2xx: delivered. 408, 429, 5xx, network failure, timeout: to be tried again, after
 * `Retry-After` when given. Everything else, redirects included: rejected. Throws RetryableError or ConfigurationError,
 * with the request that was meant, when there was no answer.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: DeliverContext): Promise<DeliverResult> => {
  const { settings } = context
  const together = settings.batching === true
  const body = together ? `[${batch.map((event) => event.json).join(',')}]` : (batch[0]?.json ?? '')
  const request: OutgoingRequest = {
    method: settings.method === 'PUT' || settings.method === 'PATCH' ? settings.method : 'POST',
    url: typeof settings.url === 'string' ? settings.url : '',
    headers: mergeHeaders(ownHeaders(settings, batch, body, context.clock()), settings.headers),
    body,
    signal: context.signal,
  }
  const started = performance.now()
  const answer = await context.request(request).catch((error: unknown) => {
    if (!(error instanceof DeliveryError)) throw error
    const latencyMs = Math.round(performance.now() - started)
    throw error.withExchange({
      httpStatus: 0,
      latencyMs,
      request: keepRequest(request, settings),
      response: error.message,
    })
  })
  const fate = classifyStatus(answer.status)
  const { status: httpStatus, latencyMs } = answer
  if (fate === 'delivered') return { outcomes: { kind: 'delivered' }, httpStatus, latencyMs }
  const kept = { request: keepRequest(request, settings), response: responseText(answer, secretsOf(settings)) }
  const reason = `HTTP ${httpStatus}`
  if (fate === 'rejected') return { outcomes: { kind: 'rejected', reason }, httpStatus, latencyMs, ...kept }
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], context.clock())
  const outcome = { kind: 'retry' as const, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  return { outcomes: outcome, httpStatus, latencyMs, ...kept }
}
