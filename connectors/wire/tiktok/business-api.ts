import {
  answerObject,
  type Call,
  ConfigurationError,
  type DeliverContext,
  type EventOutcome,
  type Hidden,
  isJsonObject,
  isWebPage,
  outcomeOfAnswer,
  sendRequest,
} from '@tributary/connector-kit'
import { apiVersions } from '../conversions/api-version.ts'
import { shownMessage } from '../conversions/shown.ts'

/** The part of a context that a call of the API for Business needs: any context with a token. */
export type TikTokContext = Pick<
  DeliverContext<{ access_token: string }>,
  'settings' | 'request' | 'signal' | 'onExchange'
>

/** The origin of all requests with a token. */
const origin = 'https://business-api.tiktok.com'

/** Maximum bytes of a response that are read. */
const keepBytes = 64 * 1024

/** Returns the secret parts of every request. */
export const hiddenOf = ({ settings }: Pick<TikTokContext, 'settings'>) => ({
  headers: ['access-token'],
  texts: [settings.access_token.trim()],
})

/**
 * Calls the API for Business: with a body by POST, else by GET. `path` begins after the version, such as
 * `event/track/`. The call is recorded without hidden values. Rejects like `sendRequest`.
 */
export const askTikTok = async (
  context: TikTokContext,
  path: string,
  { body, hidden = hiddenOf(context), readBytes }: { body?: unknown; hidden?: Hidden; readBytes?: number } = {},
): Promise<Call> =>
  await sendRequest(
    context,
    {
      method: body === undefined ? 'GET' : 'POST',
      url: `${origin}/open_api/${apiVersions.tiktok.version}/${path}`,
      headers: {
        accept: 'application/json',
        'access-token': context.settings.access_token.trim(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'user-agent': 'Tributary/1.0',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      keepBytes: readBytes ?? keepBytes,
      ...(readBytes === undefined ? {} : { readBytes }),
      timeoutMs: 60_000,
    },
    hidden,
  )

/** Returns the code in a response with status 200 ("Appendix, Return codes"). */
export const codeOf = (call: Call): number | undefined => {
  const code = answerObject(call)?.['code']
  return typeof code === 'number' ? code : undefined
}

/** Returns the data of a successful response; empty if it has none. */
export const dataOf = (call: Call): Readonly<Record<string, unknown>> => {
  const data = answerObject(call)?.['data']
  return isJsonObject(data) ? data : {}
}

/** The return code for a parameter that is missing or invalid. */
export const invalidParameter = 40_002

/**
 * Whether a user must fix the set-up: 40001 no permission, 40101 to 40105 errors of the access token, 40300 the pixel
 * of another account.
 */
const isSetUp = (code: number): boolean => code === 40_001 || (code > 40_100 && code <= 40_105) || code === 40_300
/** Whether an error is temporary: 40100 and 40133 too many requests, from 50000 on faults of TikTok. */
const isPassing = (code: number): boolean => code === 40_100 || code === 40_133 || code >= 50_000

/** The pause in ms if TikTok names no time: a minute. TikTok counts requests per minute and day. */
const pauseMs = 60_000

/**
 * Returns the outcome of a whole request about `items`, such as events. Throws ConfigurationError for errors that a user
 * must fix.
 */
export const outcomeOf = (
  call: Call,
  { now, hidden, items }: { now: number; hidden: Hidden; items: string },
): EventOutcome => {
  const { status } = call.answer
  const code = codeOf(call)
  const message = answerObject(call)?.['message']
  // Without this, each success would collect the values that a message must not show.
  const words =
    code !== 0 && typeof message === 'string' && message !== '' ? shownMessage(message, hidden) : `HTTP ${status}`
  const mend = (problem: string): ConfigurationError => new ConfigurationError(problem, call.exchange())
  if (status === 401 || status === 403 || (code !== undefined && isSetUp(code)))
    throw mend(`TikTok refuses the access token: ${words}`)
  if (status >= 300 && status < 400) throw mend(`TikTok redirects (HTTP ${status}), so something is in its way`)
  if (status < 300 && isWebPage(call.answer)) throw mend('A web page came in place of TikTok’s response')
  const outcome = outcomeOfAnswer(call.answer, now, words)
  if (outcome.kind !== 'delivered') return outcome
  if (code === 0) return { kind: 'delivered' }
  if (code === undefined) return { kind: 'retry', reason: `TikTok did not say what became of the ${items}` }
  return isPassing(code) ? { kind: 'retry', reason: words, retryAfterMs: pauseMs } : { kind: 'rejected', reason: words }
}
