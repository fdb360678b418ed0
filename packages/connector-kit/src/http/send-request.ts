import type { ConnectionTest, DeliverContext, DeliverResult, EventOutcome, Exchange } from '../definition/definition.ts'
import { ConfigurationError, DeliveryError } from '../errors.ts'
import { classifyStatus, parseRetryAfter } from './http-rules.ts'
import { requestText, responseText } from './redaction.ts'
import type { HttpAnswer, OutgoingRequest } from './request-client.ts'

/**
 * The secrets of a request: header values by their names in lower case, and texts anywhere. A body that people cannot
 * read, such as a compressed one, is replaced by `body`.
 */
export type Hidden = { headers?: readonly string[]; texts?: readonly string[]; body?: string }

/** A request that was answered. */
export type Call = {
  readonly answer: HttpAnswer
  /** Request and answer as they may be kept and shown, made when asked for. */
  exchange(): Exchange
}

/**
 * Sends a request of a delivery, and passes it to `onExchange` without its secrets. Rejects as the request client does,
 * with the request that failed.
 */
export const sendRequest = async (
  context: Pick<DeliverContext, 'request' | 'signal' | 'onExchange'>,
  request: OutgoingRequest,
  hidden: Hidden,
): Promise<Call> => {
  const texts = hidden.texts ?? []
  const shown = (): string =>
    requestText({ ...request, body: hidden.body ?? request.body ?? '' }, new Set(hidden.headers ?? []), texts)
  const started = performance.now()
  const answer = await context.request({ signal: context.signal, ...request }).catch((error: unknown) => {
    if (!(error instanceof DeliveryError)) throw error
    const latencyMs = Math.round(performance.now() - started)
    throw error.withExchange({ httpStatus: 0, latencyMs, request: shown(), response: error.message })
  })
  const { status: httpStatus, latencyMs } = answer
  const exchange = (): Exchange => ({ httpStatus, latencyMs, request: shown(), response: responseText(answer, texts) })
  context.onExchange?.(exchange())
  return { answer, exchange }
}

/** Returns the outcome of an answer by its status alone, with its `Retry-After`; `now` is epoch ms. */
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
 * Returns the result of a batch that went in one request; request and answer are kept when any event was not delivered.
 */
export const resultOfCall = (call: Call, outcomes: DeliverResult['outcomes']): DeliverResult => {
  const { status: httpStatus, latencyMs } = call.answer
  const all = 'kind' in outcomes ? [outcomes] : outcomes
  if (all.every(({ kind }) => kind === 'delivered')) return { outcomes, httpStatus, latencyMs }
  return { outcomes, ...call.exchange() }
}

/**
 * True where a web page stands in an answer's place: another server, or a page in front of the one that is meant. The
 * content type says nothing: Slack calls its plain `ok` HTML.
 */
export const isWebPage = ({ body }: Pick<HttpAnswer, 'body'>): boolean => /^\s*<(!doctype html|html)\b/i.test(body)

/** A test of a connection: what fails on the way to an answer is its result, in the words of the failure. */
export const testOf = async (test: () => Promise<ConnectionTest>): Promise<ConnectionTest> => {
  try {
    return await test()
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    const { message } = error
    return { ok: false, message: error instanceof ConfigurationError ? message : `Could not connect: ${message}` }
  }
}
