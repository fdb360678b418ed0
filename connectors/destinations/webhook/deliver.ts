import { createHash, createHmac } from 'node:crypto'
import {
  type ConnectionTest,
  type DeliverContext,
  type DeliverResult,
  type Hidden,
  type HttpAnswer,
  type OutgoingEvent,
  type OutgoingRow,
  outcomeOfAnswer,
  resultOfCall,
  sendRequest,
  testOf,
  withGrant,
} from '@tributary/connector-kit'
import { answerBytes, outcomesOfRows } from './row-results.ts'
import type { WebhookSettings } from './settings.ts'

/**
 * Returns the signature header: HMAC-SHA256 (RFC 2104, hex) over `<timestamp>.<body>`, timestamp in seconds, so that a
 * recorded request cannot be played back later.
 */
const sign = (secret: string, timestamp: number, body: string): string =>
  `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`

/** The content of a request: events or rows, by their IDs. */
type Content = {
  kind: 'event' | 'record'
  ids: readonly string[]
  texts: readonly string[]
  /** Returns the outcomes of the events or rows for a 2xx response. */
  outcomes: (answer: HttpAnswer) => DeliverResult['outcomes']
}

/** Returns the key of a batch, which is the same for the same events at every attempt. */
const batchKey = (ids: readonly string[]): string => {
  const text = `${ids.join('\n')}\n`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

const ownHeaders = (
  settings: WebhookSettings,
  { kind, ids }: Content,
  body: string,
  now: number,
): Record<string, string> => {
  const [first] = ids
  const together = settings.batching
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'Tributary/1.0',
    'idempotency-key': together || first === undefined ? batchKey(ids) : first,
  }
  if (together) headers[`x-tributary-${kind}-count`] = String(ids.length)
  else if (first !== undefined) headers[`x-tributary-${kind}-id`] = first
  const { signing_secret: secret } = settings
  if (secret !== undefined) headers['x-tributary-signature'] = sign(secret, Math.floor(now / 1000), body)
  return headers
}

/**
 * Merges headers. A user's header replaces a header of this product with the same name, except for headers that
 * describe the request.
 */
const mergeHeaders = (own: Record<string, string>, custom: WebhookSettings['headers'] = {}): Record<string, string> => {
  const merged = { ...own }
  for (const [name, value] of Object.entries(custom)) {
    const lower = name.toLowerCase()
    if (lower.startsWith('x-tributary-') || lower === 'idempotency-key') continue
    merged[lower] = value
  }
  return merged
}

const secretsOf = (settings: WebhookSettings): string[] => {
  const credentials = Object.values(settings.headers ?? {}).map((value) => value.replace(/^(Bearer|Basic) /i, ''))
  const secrets = [settings.signing_secret, settings.oauth_client_secret]
  return [...credentials, ...secrets.filter((secret) => secret !== undefined)]
}

/** Returns what to hide in the delivery log: the user's headers and the signature. */
const hiddenOf = (settings: WebhookSettings): Hidden => {
  const custom = Object.keys(settings.headers ?? {})
  return {
    headers: [...custom.map((name) => name.toLowerCase()), 'x-tributary-signature'],
    texts: secretsOf(settings),
  }
}

/** Returns the unchanged event, or the payload of its mapping. */
const textOf = ({ json, payload }: OutgoingEvent): string => (payload === undefined ? json : JSON.stringify(payload))

/**
 * HTTP status codes that refuse the content of a request, not the request itself: RFC 9110 §15.5.1, §15.5.14 and
 * §15.5.21.
 */
const refusesContent: ReadonlySet<number> = new Set([400, 413, 422])

const authenticated = (context: DeliverContext<WebhookSettings>): DeliverContext<WebhookSettings> =>
  context.settings.authentication === 'oauth2' ? withGrant(context) : context

/** Returns the text of a row, with the payload as its producer wrote it. */
const textOfRow = ({ recordId, operation, object, key, json, text }: OutgoingRow): string =>
  text ?? `${JSON.stringify({ recordId, operation, object, key }).slice(0, -1)},"payload":${json}}`

/**
 * Sends a batch in one request.
 * - 2xx: delivered.
 * - 408, 429, 5xx, network failure, timeout: retried, after `Retry-After` when given.
 * - 400, 413 and 422 to several events: sent in halves, because one event can be the cause.
 * - All other statuses, redirects included: rejected. Without a response, throws RetryableError or ConfigurationError
 * with the intended request.
 */
const send = async (content: Content, given: DeliverContext<WebhookSettings>): Promise<DeliverResult> => {
  const { settings } = given
  const context = authenticated(given)
  const { texts } = content
  const body = settings.batching ? `[${texts.join(',')}]` : (texts[0] ?? '')
  const headers = mergeHeaders(ownHeaders(settings, content, body, context.clock()), settings.headers)
  const call = await sendRequest(
    context,
    {
      method: settings.method,
      url: settings.url,
      headers,
      body,
      ...(content.kind === 'record' ? { keepBytes: answerBytes } : {}),
    },
    hiddenOf(settings),
  )
  const { status } = call.answer
  if (texts.length > 1 && refusesContent.has(status))
    return resultOfCall(call, { kind: 'split', reason: `HTTP ${status}` })
  const outcome = outcomeOfAnswer(call.answer, context.clock())
  return resultOfCall(call, outcome.kind === 'delivered' ? content.outcomes(call.answer) : outcome)
}

/** Sends events, each complete or as the payload of its mapping. The outcomes are those of `send`. */
export const deliver = (
  batch: readonly OutgoingEvent[],
  context: DeliverContext<WebhookSettings>,
): Promise<DeliverResult> =>
  send(
    {
      kind: 'event',
      ids: batch.map(({ eventId }) => eventId),
      texts: batch.map(textOf),
      outcomes: () => ({ kind: 'delivered' }),
    },
    context,
  )

/**
 * Sends rows, each as `{"recordId", "operation", "object", "key", "payload"}`, one per request or as an array like
 * events. `operation` is upsert, update, insert or delete; `recordId` is the same for each attempt. The outcomes are
 * those of `send`, and for a 2xx response those of `outcomesOfRows`.
 */
export const deliverRows = (
  batch: readonly OutgoingRow[],
  context: DeliverContext<WebhookSettings>,
): Promise<DeliverResult> =>
  send(
    {
      kind: 'record',
      ids: batch.map(({ recordId }) => recordId),
      texts: batch.map(textOfRow),
      outcomes: (answer) => outcomesOfRows(answer, batch, context.clock()),
    },
    context,
  )

/**
 * Calls the URL with GET and the user's headers, so that no endpoint treats the call as an event. Status 404 or 405 is
 * accepted, because an endpoint need not support GET. Rejected headers and server errors still fail the test.
 */
export const testConnection = (context: DeliverContext<WebhookSettings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const { settings } = context
    const headers = mergeHeaders({ 'user-agent': 'Tributary/1.0' }, settings.headers)
    const { answer } = await sendRequest(
      authenticated(context),
      { method: 'GET', url: settings.url, headers },
      hiddenOf(settings),
    )
    const status = `HTTP ${answer.status}`
    if (answer.status === 401 || answer.status === 403)
      return { ok: false, message: `The endpoint responded but refused the headers (${status})` }
    if (answer.status >= 500) return { ok: false, message: `The endpoint responded with a server error (${status})` }
    if (answer.status >= 300 && answer.status < 400)
      return { ok: false, message: `The endpoint redirects (${status}). Deliveries do not follow redirects` }
    return {
      ok: true,
      message: `The endpoint responded (${status} to GET). Send a test event to check that it accepts events.`,
    }
  })
