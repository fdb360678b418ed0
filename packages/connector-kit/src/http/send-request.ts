import { readTime } from '@tributary/kernel'
import type { ConnectionTest, DeliverContext, DeliverResult, EventOutcome, Exchange } from '../definition/definition.ts'
import { ConfigurationError, DeliveryError } from '../errors.ts'
import { requestText, responseText } from './redaction.ts'
import type { HttpAnswer, OutgoingRequest } from './request-client.ts'

/**
 * Returns the outcome of an event by HTTP status (RFC 9110 §15). The only 4xx codes that are retried are 408 and 429.
 */
export const classifyStatus = (status: number): 'delivered' | 'retry' | 'rejected' => {
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 408 || status === 429 || status >= 500) return 'retry'
  return 'rejected'
}

/** Maximum `Retry-After` that is respected, in ms. */
export const retryAfterCapMs = 3_600_000

/**
 * Parses `Retry-After` (RFC 9110 §10.2.3: seconds or an HTTP date) to milliseconds from `now`, between 0 and the
 * maximum; undefined if it is absent or invalid.
 */
export const parseRetryAfter = (value: string | undefined, now: number): number | undefined => {
  const text = value?.trim()
  if (text === undefined || text === '') return undefined
  const time = /^\d+$/.test(text) ? now + Number(text) * 1000 : readTime(text)
  if (time === undefined) return undefined
  return Math.min(Math.max(time - now, 0), retryAfterCapMs)
}

/**
 * The secrets of a request: names of headers in lower case, and texts that are hidden anywhere. `body` replaces a body
 * that is not readable, such as a compressed one.
 */
export type Hidden = { headers?: readonly string[]; texts?: readonly string[]; body?: string }

/** A request with its response. */
export type Call = {
  readonly answer: HttpAnswer
  /** The request and response as they may be stored and shown, created on demand. */
  exchange(): Exchange
}

/**
 * Sends a request of a delivery, and passes it to `onExchange` without its secrets. Rejects like the request client;
 * the error has the failed request.
 */
export const sendRequest = async (
  context: Pick<DeliverContext, 'request' | 'signal' | 'onExchange'>,
  request: OutgoingRequest,
  hidden: Hidden,
): Promise<Call> => {
  const shown = (): string =>
    requestText(
      { ...request, body: hidden.body ?? request.body ?? '' },
      new Set(hidden.headers ?? []),
      hidden.texts ?? [],
    )
  const started = performance.now()
  const answer = await context.request({ signal: context.signal, ...request }).catch((error: unknown) => {
    if (!(error instanceof DeliveryError)) throw error
    const latencyMs = Math.round(performance.now() - started)
    throw error.withExchange({ httpStatus: 0, latencyMs, request: shown(), response: error.message })
  })
  const { status: httpStatus, latencyMs } = answer
  const exchange = (): Exchange => ({
    httpStatus,
    latencyMs,
    request: shown(),
    response: responseText(answer, hidden.texts ?? []),
  })
  context.onExchange?.(exchange())
  return { answer, exchange }
}

/** Returns the outcome of a response by its status alone, with its `Retry-After`; `now` is epoch ms. */
export const outcomeOfAnswer = (
  answer: Pick<HttpAnswer, 'status' | 'headers'>,
  now: number,
  reason = `HTTP ${answer.status}`,
): EventOutcome => {
  const kind = classifyStatus(answer.status)
  if (kind === 'delivered') return { kind }
  if (kind === 'rejected') return { kind, reason }
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now)
  return { kind, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/**
 * Returns the result of a batch that was sent in one request; request and response are stored if any event was not
 * delivered.
 */
export const resultOfCall = (call: Call, outcomes: DeliverResult['outcomes']): DeliverResult => {
  const { status: httpStatus, latencyMs } = call.answer
  const all = 'kind' in outcomes ? [outcomes] : outcomes
  if (all.every(({ kind }) => kind === 'delivered')) return { outcomes, httpStatus, latencyMs }
  return { outcomes, ...call.exchange() }
}

/**
 * Whether the response is a web page. It then comes from a wrong server, or from a page in front of the intended
 * server. The content type is no proof: Slack sends its plain `ok` as HTML.
 */
export const isWebPage = ({ body }: Pick<HttpAnswer, 'body'>): boolean => /^\s*<(!doctype html|html)\b/i.test(body)

/** Runs a connection test; if the request fails without a response, the result has the message of the failure. */
export const testOf = async (test: () => Promise<ConnectionTest>): Promise<ConnectionTest> => {
  try {
    return await test()
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    const { message } = error
    return { ok: false, message: error instanceof ConfigurationError ? message : `Could not connect: ${message}` }
  }
}
