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
import { apiVersions } from '../../wire/conversions/api-version.ts'
import { hidingPersonal, shownMessage } from '../../wire/conversions/shown.ts'
import { apiOrigin, customerOf, type GoogleAdsSettings } from './settings.ts'

export type Context = DeliverContext<GoogleAdsSettings>

/** Personal fields that are sent unhashed. */
const personal: ReadonlySet<string> = new Set(['postalCode', 'regionCode', 'ipAddress', 'userAgent'])

/** Maximum bytes of a response that are read. The response names each refused event. */
const keepBytes = 1024 * 1024

const accountOf = (entered: string) => ({ accountType: 'GOOGLE_ADS', accountId: customerOf(entered) })

/**
 * Sends events to a conversion action. The requests of the context must carry the token of the grant. Rejects like
 * `sendRequest`.
 */
export const ingest = async (
  context: Context,
  actionId: string,
  events: readonly unknown[],
  validateOnly: boolean,
): Promise<{ call: Call; hidden: Hidden }> => {
  const { customer_id, login_customer_id, client_secret } = context.settings
  const body = {
    destinations: [
      {
        operatingAccount: accountOf(customer_id),
        ...(login_customer_id === undefined ? {} : { loginAccount: accountOf(login_customer_id) }),
        productDestinationId: actionId,
      },
    ],
    events,
    encoding: 'HEX',
    ...(validateOnly ? { validateOnly: true } : {}),
  }
  const hidden = hidingPersonal(body, personal, { headers: ['authorization'], texts: [client_secret] })
  const call = await sendRequest(
    context,
    {
      method: 'POST',
      url: `${apiOrigin}/${apiVersions.google.version}/events:ingest`,
      headers: { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'Tributary/1.0' },
      body: JSON.stringify(body),
      keepBytes,
      readBytes: keepBytes,
      timeoutMs: 60_000,
    },
    hidden,
  )
  return { call, hidden }
}

/**
 * The content of Google's response: the outcome of the whole request, and the events that Google refuses ("Understand
 * API errors", BadRequest).
 */
export type Verdict = { outcome: EventOutcome; refused: ReadonlyMap<number, string> }

type Violation = { field: string; reason: string; words: string }

/** Returns the first argument that is a string; '' if there is none. */
const firstText = (...values: unknown[]): string => values.find((each) => typeof each === 'string') ?? ''

const violationsOf = (error: Readonly<Record<string, unknown>>): Violation[] => {
  const details = Array.isArray(error['details']) ? error['details'] : []
  return details.filter(isJsonObject).flatMap((detail) => {
    const listed = detail['fieldViolations']
    return (Array.isArray(listed) ? listed : []).filter(isJsonObject).map((each) => ({
      field: firstText(each['field']),
      reason: firstText(each['reason']),
      words: firstText(each['description'], each['reason'], 'Refused by Google'),
    }))
  })
}

/**
 * Values of "ErrorReason" that concern the account, so that a user must fix it. Google returns them for the whole
 * request (ErrorInfo) or for a field.
 */
const ofAccount: ReadonlySet<string> = new Set([
  'DESTINATION_ACCOUNT_DATA_POLICY_PROHIBITS_ENHANCED_CONVERSIONS',
  'DESTINATION_ACCOUNT_ENHANCED_CONVERSIONS_TERMS_NOT_SIGNED',
  'DESTINATION_ACCOUNT_NOT_ENABLED_ENHANCED_CONVERSIONS_FOR_LEADS',
  'INVALID_CONVERSION_ACTION_ID',
  'INVALID_CONVERSION_ACTION_TYPE',
  'INVALID_DESTINATION',
  'TERMS_AND_CONDITIONS_NOT_SIGNED',
])

/** Returns the reasons of an error that apply to the whole request ("Understand API errors", ErrorInfo). */
const reasonsOf = (error: Readonly<Record<string, unknown>>): string[] =>
  (Array.isArray(error['details']) ? error['details'] : [])
    .filter(isJsonObject)
    .flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : []))

/** Pause in ms after a used-up quota; quotas are per minute ("Limits and quotas"). */
const quotaMs = 60_000

const mendable = (call: Call, words: string): string | undefined => {
  const { status } = call.answer
  if (status === 403) return `Google does not allow access to the account: ${words}`
  if (status === 404) return `Google does not find the account: ${words}`
  if (status >= 300 && status < 400) return `Google redirects (HTTP ${status}), so something is in its way`
  if (status < 300 && isWebPage(call.answer)) return 'A web page came in place of Google’s response'
  return undefined
}

/**
 * Returns the content of Google's response. Throws ConfigurationError for errors that a user must fix, such as a
 * missing account or conversion action.
 */
export const verdictOf = ({ call, hidden }: { call: Call; hidden: Hidden }, count: number, now: number): Verdict => {
  const answer = answerObject(call)
  const error = isJsonObject(answer?.['error']) ? answer['error'] : {}
  const message = error['message']
  const words =
    typeof message === 'string' && message !== '' ? shownMessage(message, hidden) : `HTTP ${call.answer.status}`
  const problem = mendable(call, words)
  if (problem !== undefined) throw new ConfigurationError(problem, call.exchange())
  const refused = new Map<number, string>()
  const violations = violationsOf(error)
  for (const { field, words: why } of violations) {
    const at = Number(/\bevents\[(\d+)\]/.exec(field)?.[1])
    if (Number.isInteger(at) && at < count && !refused.has(at)) refused.set(at, shownMessage(why, hidden))
  }
  const ofDestination = violations.find(({ field, reason }) => /\bdestinations\b/.test(field) || ofAccount.has(reason))
  if (ofDestination !== undefined || reasonsOf(error).some((reason) => ofAccount.has(reason)))
    throw new ConfigurationError(
      `Google does not take the account or the conversion action: ${shownMessage(ofDestination?.words ?? words, hidden)}`,
      call.exchange(),
    )
  const outcome = outcomeOfAnswer(call.answer, now, words)
  if (outcome.kind === 'delivered')
    return {
      outcome:
        answer === undefined || Object.hasOwn(answer, 'error')
          ? { kind: 'retry', reason: 'Google did not say what became of the conversions' }
          : outcome,
      refused: new Map(),
    }
  const isQuota = outcome.kind === 'retry' && call.answer.status === 429 && outcome.retryAfterMs === undefined
  return { outcome: isQuota ? { ...outcome, retryAfterMs: quotaMs } : outcome, refused }
}
