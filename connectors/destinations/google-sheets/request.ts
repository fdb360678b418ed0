import {
  answerObject,
  type Call,
  ConfigurationError,
  cutText,
  type DeliverContext,
  type EventOutcome,
  isJsonObject,
  isWebPage,
  outcomeOfAnswer,
  RetryableError,
  sendRequest,
} from '@tributary/connector-kit'
import { spreadsheetId } from '../../wire/google/spreadsheet.ts'
import { apiOrigin, type GoogleSheetsSettings } from './settings.ts'

export type Context = DeliverContext<GoogleSheetsSettings>

/** Maximum bytes of a response that are read. A response can contain all keys of a sheet. */
const readBytes = 16 * 1024 * 1024

/**
 * Calls the API for the spreadsheet. `rest` follows the ID in the URL; `body` is sent as JSON. The requests of the
 * context must carry the token of the grant. Rejects like `sendRequest`. ("Usage limits": a request ends after 180
 * seconds at the latest.)
 */
export const ask = (context: Context, method: 'GET' | 'POST', rest: string, body?: unknown): Promise<Call> => {
  const id = spreadsheetId(context.settings.spreadsheet)
  if (id === undefined) throw new ConfigurationError('The URL of the spreadsheet has no ID')
  return sendRequest(
    context,
    {
      method,
      url: `${apiOrigin}/v4/spreadsheets/${id}${rest}`,
      headers: {
        accept: 'application/json',
        'user-agent': 'Tributary/1.0',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      keepBytes: readBytes,
      readBytes,
      timeoutMs: 180_000,
    },
    { headers: ['authorization'], texts: [context.settings.client_secret] },
  )
}

/** Returns Google's error message (google.rpc.Status), at most 500 characters. */
const wordsOf = (call: Call): string => {
  const error = answerObject(call)?.['error']
  const message = isJsonObject(error) ? error['message'] : undefined
  return typeof message === 'string' && message !== ''
    ? cutText(message, 500).toWellFormed()
    : `HTTP ${call.answer.status}`
}

/** Pause in ms after a used-up quota; quotas are refilled every minute ("Usage limits"). */
const quotaMs = 60_000

/** Returns why the spreadsheet accepts nothing until a user fixes it, as a message; undefined otherwise. */
const setUpProblem = (call: Call): string | undefined => {
  const { status } = call.answer
  const words = wordsOf(call)
  if (status === 403) return `Google does not allow access to the spreadsheet: ${words}`
  if (status === 404) return `Google does not find the spreadsheet: ${words}`
  if (status >= 300 && status < 400) return `Google redirects (HTTP ${status}), so something is in its way`
  if (status < 300 && isWebPage(call.answer)) return 'A web page came in place of Google’s response'
  if (status < 300 && Buffer.byteLength(call.answer.body) > readBytes - 4)
    return 'The sheet has too many rows: the values of the identifier have more than 16 MB'
  // The error applies to the whole spreadsheet, so halves of the batch would also be refused.
  if (status === 400 && /\b10000000 cells\b|\bprotected\b|not supported for this document/i.test(words))
    return `The spreadsheet takes no more: ${words}`
  return undefined
}

/**
 * Returns the outcome of a whole request; undefined for a success. Throws ConfigurationError for errors that a user
 * must fix.
 */
export const failureOf = (call: Call, now: number): Exclude<EventOutcome, { kind: 'delivered' }> | undefined => {
  const problem = setUpProblem(call)
  if (problem !== undefined) throw new ConfigurationError(problem, call.exchange())
  const outcome = outcomeOfAnswer(call.answer, now, wordsOf(call))
  if (outcome.kind === 'delivered') {
    return answerObject(call) === undefined ? { kind: 'retry', reason: 'Google’s response is not JSON' } : undefined
  }
  if (outcome.kind !== 'retry' || outcome.retryAfterMs !== undefined || call.answer.status !== 429) return outcome
  return { ...outcome, retryAfterMs: quotaMs }
}

/** Returns the response to a GET request for the spreadsheet. Throws a DeliveryError for a failure. */
export const read = async (context: Context, rest: string): Promise<Readonly<Record<string, unknown>>> => {
  const call = await ask(context, 'GET', rest)
  const failure = failureOf(call, context.clock())
  const answer = answerObject(call)
  if (failure === undefined && answer !== undefined) return answer
  const reason = failure?.reason ?? 'Google’s response is not JSON'
  if (failure?.kind !== 'retry')
    throw new ConfigurationError(`The spreadsheet can't be read: ${reason}`, call.exchange())
  const { retryAfterMs } = failure
  throw new RetryableError(reason, {
    exchange: call.exchange(),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}
