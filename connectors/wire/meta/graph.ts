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

/** The part of a context that a call of the Graph API needs: any context with a token. */
export type GraphContext = Pick<
  DeliverContext<{ access_token: string }>,
  'settings' | 'request' | 'signal' | 'onExchange'
>

/** Returns the secret parts of every request. */
export const hiddenOf = ({ settings }: Pick<GraphContext, 'settings'>) => ({
  headers: ['authorization'],
  texts: [settings.access_token.trim()],
})

/** Maximum bytes of a response that are read. A response can have samples of invalid entries. */
const keepBytes = 128 * 1024

/**
 * Calls the Graph API. `body` is sent as JSON, and recorded without hidden values. `readBytes` is for responses that are
 * larger than usual. Rejects like `sendRequest`.
 */
export const ask = async (
  context: GraphContext,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  hidden: Hidden = hiddenOf(context),
  readBytes?: number,
): Promise<Call> => {
  const token = context.settings.access_token.trim()
  return await sendRequest(
    context,
    {
      method,
      url: `https://graph.facebook.com/${apiVersions.meta.version}/${path}`,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'user-agent': 'Tributary/1.0',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      keepBytes: readBytes ?? keepBytes,
      ...(readBytes === undefined ? {} : { readBytes }),
      timeoutMs: 60_000,
    },
    hidden,
  )
}

type GraphError = { code: number; subcode: number; words: string; transient: boolean }

const errorOf = (call: Call, hidden: Hidden): GraphError | undefined => {
  const error = answerObject(call)?.['error']
  if (!isJsonObject(error)) return undefined
  const message = [error['error_user_msg'], error['error_user_title'], error['message']].find(
    (text) => typeof text === 'string' && text !== '',
  )
  return {
    code: Number(error['code']),
    subcode: Number(error['error_subcode']),
    words: typeof message === 'string' ? shownMessage(message, hidden) : `HTTP ${call.answer.status}`,
    transient: error['is_transient'] === true,
  }
}

/**
 * Whether an error is a limit. "Rate Limits": 4 of the app, 17 of the user, 32 of the page, 613 of custom limits, 80000
 * to 80014 of business use cases. "Error Handling": 341 of the app and 368 after violations also need a pause.
 */
const isLimit = ({ code }: GraphError): boolean =>
  [4, 17, 32, 341, 368, 613].includes(code) || (code >= 80_000 && code <= 80_014)

/** Whether the session (102) or the token (190) has ended ("Error Handling"). */
const isOfToken = (error: GraphError | undefined): boolean => error?.code === 102 || error?.code === 190

/** Whether an error is temporary: 1 (unknown) and 2 (service) are ("Error Handling"). */
const isPassing = ({ code, transient }: GraphError): boolean => transient || code === 1 || code === 2

/**
 * Returns the pause in ms until requests are accepted again. It is the longest time in `X-Business-Use-Case-Usage`,
 * which is in minutes ("Rate Limits"). Without the header it is a quarter of an hour, because limits are per hour.
 */
export const regainMs = (header: string | undefined): number => {
  const quarter = 15 * 60_000
  try {
    const usage: unknown = JSON.parse(header ?? '')
    const lists = isJsonObject(usage) ? Object.values(usage).flat() : []
    const minutes = lists.map((each) => (isJsonObject(each) ? Number(each['estimated_time_to_regain_access']) : 0))
    const longest = Math.max(0, ...minutes.filter(Number.isFinite))
    return longest > 0 ? Math.min(longest, 24 * 60) * 60_000 : quarter
  } catch {
    return quarter
  }
}

/** The error code for a Custom Audience to which uploads are blocked until a user appeals. */
const audienceBlocked = 1713230

/** Whether Meta does not find the object of a request: code 100, subcode 33. */
export const isMissingObject = (call: Call): boolean => {
  const error = errorOf(call, {})
  return error?.code === 100 && error.subcode === 33
}

/** Returns why Meta accepts nothing until a user fixes it, as a message; undefined otherwise. */
const setUpProblem = (call: Call, error: GraphError | undefined, object: string): string | undefined => {
  const { status } = call.answer
  if (status >= 300 && status < 400) return `Meta redirects (HTTP ${status}), so something is in its way`
  if (status < 300 && isWebPage(call.answer)) return 'A web page came in place of Meta’s response'
  if (isOfToken(error) || status === 401) return `Meta refuses the access token: ${error?.words ?? `HTTP ${status}`}`
  if (error === undefined || isLimit(error) || isPassing(error) || status >= 500) return undefined
  // Code 100 concerns the sent data, possibly only one row; its subcode 33 means a missing object.
  if (error.code === 100 && error.subcode === 33) return `Meta does not find the ${object}: ${error.words}`
  if (error.code === 100 && error.subcode !== audienceBlocked) return undefined
  return `Meta does not allow it: ${error.words}`
}

/**
 * Returns the outcome of a whole request; undefined for a success. Throws ConfigurationError for errors that a user
 * must fix; `object` names the missing object in the message.
 */
export const failureOf = (
  call: Call,
  now: number,
  object: string,
  hidden: Hidden = {},
): Exclude<EventOutcome, { kind: 'delivered' }> | undefined => {
  const error = errorOf(call, hidden)
  const problem = setUpProblem(call, error, object)
  if (problem !== undefined) throw new ConfigurationError(problem, call.exchange())
  if (error !== undefined && isLimit(error)) {
    const retryAfterMs = regainMs(call.answer.headers['x-business-use-case-usage'])
    return { kind: 'retry', reason: error.words, retryAfterMs }
  }
  if (error !== undefined && isPassing(error)) return { kind: 'retry', reason: error.words }
  const outcome = outcomeOfAnswer(call.answer, now, error?.words ?? `HTTP ${call.answer.status}`)
  if (outcome.kind !== 'delivered') return outcome
  // A response with status 200 can still have an error.
  return error === undefined ? undefined : { kind: 'rejected', reason: error.words }
}
