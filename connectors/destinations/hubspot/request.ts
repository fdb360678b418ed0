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
  sendRequest,
} from '@tributary/connector-kit'
import type { HubspotSettings } from './settings.ts'

export type Context = DeliverContext<HubspotSettings>

/** Maximum bytes of a response that are read. A response contains the properties of each record of a batch. */
export const keepBytes = 256 * 1024

/** The same for a list of properties. An account has hundreds of properties, some with hundreds of options. */
export const propertyBytes = 8 * 1024 * 1024

/**
 * Calls HubSpot's API. `body` is sent as JSON; `readBytes` sets the maximum bytes of a long response. Rejects like
 * `sendRequest`.
 */
export const ask = async (
  context: Context,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  readBytes?: number,
): Promise<Call> => {
  const token = context.settings.access_token.trim()
  return await sendRequest(
    context,
    {
      method,
      url: `https://api.hubapi.com${path}`,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'user-agent': 'Tributary/1.0',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(readBytes === undefined ? { keepBytes } : { keepBytes: readBytes, readBytes }),
      timeoutMs: 30_000,
    },
    { headers: ['authorization'], texts: [token] },
  )
}

/** Returns HubSpot's error message, at most 500 characters. */
export const wordsOf = (error: unknown, unless: string): string => {
  const message = isJsonObject(error) ? error['message'] : undefined
  return typeof message === 'string' && message !== '' ? cutText(message, 500).toWellFormed() : unless
}

/** The pause in ms if the header is missing, by the name of the limit. The limits are per ten seconds and per day. */
const pauses: Readonly<Record<string, number>> = { TEN_SECONDLY_ROLLING: 10_000, DAILY: 3_600_000 }

/**
 * Returns why HubSpot accepts nothing until a user fixes it, as a message; undefined otherwise.
 * (developers.hubspot.com, "Error handling", "Scopes": 401 is a wrong token, 403 a token without the scope.)
 */
const setUpProblem = ({ answer }: Call): string | undefined => {
  const { status } = answer
  const words = wordsOf(answerObject({ answer }), `HTTP ${status}`)
  if (status === 401) return `HubSpot refuses the access token: ${words}`
  if (status === 403) return `The access token lacks a scope: ${words}`
  if (status === 404) return `HubSpot does not know this object: ${words}`
  if (status >= 300 && status < 400) return `HubSpot redirects (HTTP ${status}), so something is in its way`
  if (status < 300 && isWebPage(answer)) return 'A web page came in place of HubSpot’s response'
  // The error applies to the mapping, so halves of the batch would also be refused.
  if (status === 400 && /non-unique/.test(words)) return `The identifier is not a unique property in HubSpot: ${words}`
  return undefined
}

/**
 * Returns the outcome of a whole request; undefined for a success. After 429, the pause is `Retry-After` or the period
 * of the named limit; 423 (locked) and 477 (moving) are temporary. Throws ConfigurationError for errors that a user
 * must fix.
 */
export const failureOf = (call: Call, now: number): Exclude<EventOutcome, { kind: 'delivered' }> | undefined => {
  const problem = setUpProblem(call)
  if (problem !== undefined) throw new ConfigurationError(problem, call.exchange())
  const { answer } = call
  const said = answerObject({ answer })
  const status = answer.status === 423 || answer.status === 477 ? 503 : answer.status
  const outcome = outcomeOfAnswer({ ...answer, status }, now, wordsOf(said, `HTTP ${answer.status}`))
  if (outcome.kind === 'delivered') return undefined
  const retryAfterMs = answer.status === 429 ? pauses[String(said?.['policyName'])] : undefined
  if (outcome.kind !== 'retry' || outcome.retryAfterMs !== undefined || retryAfterMs === undefined) return outcome
  return { ...outcome, retryAfterMs }
}
