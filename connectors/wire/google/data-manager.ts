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
import { type NamedBy, wrongList } from '../conversions/named-list.ts'
import { hidingPersonal, shownMessage } from '../conversions/shown.ts'

/** The origin of all requests with a token. */
export const dataManagerOrigin = 'https://datamanager.googleapis.com'
export const dataManagerScope = 'https://www.googleapis.com/auth/datamanager'

/** The settings that name an account of Google Ads. */
export type AccountSettings = {
  customer_id: string
  login_customer_id?: string | undefined
  client_secret: string
}

/** The part of a context that a call of the Data Manager API needs. */
export type AccountContext = Pick<DeliverContext, 'request' | 'signal' | 'onExchange' | 'accessToken'> & {
  settings: AccountSettings
}

/** Returns the digits of a customer ID, which users may write with hyphens. */
export const customerOf = (entered: string): string => entered.replaceAll(/[\s-]/g, '')

/** Whether a text is a customer ID of Google Ads. */
export const isCustomer = (entered: string): boolean => /^\d{10}$/.test(customerOf(entered))

/** Personal fields that are sent unhashed. */
const personal: ReadonlySet<string> = new Set([
  'postalCode',
  'regionCode',
  'ipAddress',
  'userAgent',
  'mobileIds',
  'mobileDeviceId',
  'userId',
])

/** Maximum bytes of a response that are read. The response names each refused item. */
const keepBytes = 1024 * 1024

/** Maximum bytes of a page of customer lists. */
const listBytes = 4 * 1024 * 1024

const accountOf = (entered: string) => ({ accountType: 'GOOGLE_ADS', accountId: customerOf(entered) })

/** Returns the destination of a request: the account, and the conversion action or the customer list in it. */
export const destinationOf = ({ customer_id, login_customer_id }: AccountSettings, id: string) => ({
  operatingAccount: accountOf(customer_id),
  ...(login_customer_id === undefined ? {} : { loginAccount: accountOf(login_customer_id) }),
  productDestinationId: id,
})

/** A call with the parts of it that are hidden. */
export type Asked = { call: Call; hidden: Hidden }

/**
 * Calls a method of the Data Manager API. The requests of the context must carry the token of the grant. Rejects like
 * `sendRequest`.
 */
export const askDataManager = async (
  context: AccountContext,
  method: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Asked> => {
  const hidden = hidingPersonal(body, personal, {
    headers: ['authorization'],
    texts: [context.settings.client_secret],
  })
  const call = await sendRequest(
    context,
    {
      method: 'POST',
      url: `${dataManagerOrigin}/${apiVersions.google.version}/${method}`,
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
 * Calls a method of "UserListService" about the customer lists of the account: with a body by POST, else by GET. `path` is
 * what follows `userLists`, such as `/8012345678`. Rejects like `sendRequest`.
 */
export const askUserLists = async (context: AccountContext, path: string, body?: unknown): Promise<Asked> => {
  const { customer_id, login_customer_id, client_secret } = context.settings
  const hidden = { headers: ['authorization'], texts: [client_secret] }
  const account = (entered: string): string => `accountTypes/GOOGLE_ADS/accounts/${customerOf(entered)}`
  const call = await sendRequest(
    context,
    {
      method: body === undefined ? 'GET' : 'POST',
      url: `${dataManagerOrigin}/${apiVersions.google.version}/${account(customer_id)}/userLists${path}`,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'user-agent': 'Tributary/1.0',
        ...(login_customer_id === undefined ? {} : { 'login-account': account(login_customer_id) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      keepBytes: listBytes,
      readBytes: listBytes,
      timeoutMs: 60_000,
    },
    hidden,
  )
  return { call, hidden }
}

/**
 * The content of Google's response: the outcome of the whole request, and the items that Google refuses ("Understand
 * API errors", BadRequest). The map `apart` has items with another outcome than the whole request, where Google accepts
 * the others. `sameTime` has those of them that Google takes only with a later time.
 */
export type Verdict = {
  outcome: EventOutcome
  refused: ReadonlyMap<number, string>
  apart?: ReadonlyMap<number, EventOutcome>
  sameTime?: ReadonlySet<number>
}

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
  'INVALID_USER_LIST_ID',
  'INVALID_USER_LIST_TYPE',
  'SENSITIVE_USER_LIST_IMMUTABLE',
  'TERMS_AND_CONDITIONS_NOT_SIGNED',
  'USER_LIST_MUTATION_NOT_SUPPORTED',
])

/** Values of "ErrorReason" that concern one customer list, which an event may have named itself. */
const ofList: ReadonlySet<string> = new Set([
  'INVALID_USER_LIST_ID',
  'INVALID_USER_LIST_TYPE',
  'SENSITIVE_USER_LIST_IMMUTABLE',
  'USER_LIST_MUTATION_NOT_SUPPORTED',
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

/** The place of an item in a request: the list of events or of members, and the index. */
const itemPlace = /\b(?:events|audience_?members)\[(\d{1,6})\]/i

/**
 * Returns the content of Google's response to a request with a number of items. `target` names what receives them, such
 * as the conversion action. A customer list that the settings do not name (`namedBy`) concerns only its own events. Throws
 * ConfigurationError for other errors that a user must fix.
 */
export const verdictOf = (
  { call, hidden }: Asked,
  { count, target, now, namedBy = 'settings' }: { count: number; target: string; now: number; namedBy?: NamedBy },
): Verdict => {
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
    const at = Number(itemPlace.exec(field)?.[1])
    if (Number.isInteger(at) && at < count && !refused.has(at)) refused.set(at, shownMessage(why, hidden))
  }
  const ofDestination = violations.find(({ field, reason }) => /\bdestinations\b/.test(field) || ofAccount.has(reason))
  const reasons = reasonsOf(error)
  if (ofDestination !== undefined || reasons.some((reason) => ofAccount.has(reason))) {
    const why = shownMessage(ofDestination?.words ?? words, hidden)
    const isOfList =
      ofDestination === undefined ? reasons.some((each) => ofList.has(each)) : ofList.has(ofDestination.reason)
    if (namedBy === 'settings' || !isOfList)
      throw new ConfigurationError(`Google does not take the account or the ${target}: ${why}`, call.exchange())
    const reason = `Google does not take the ${target}: ${why}`
    const outcome = wrongList(namedBy, reason)
    const all = outcome.kind === 'rejected' ? Array.from({ length: count }, (_, at) => [at, reason] as const) : []
    return { outcome, refused: new Map(all) }
  }
  const outcome = outcomeOfAnswer(call.answer, now, words)
  if (outcome.kind === 'delivered')
    return {
      outcome:
        answer === undefined || Object.hasOwn(answer, 'error')
          ? { kind: 'retry', reason: 'Google did not say what became of the request' }
          : outcome,
      refused: new Map(),
    }
  const isQuota = outcome.kind === 'retry' && call.answer.status === 429 && outcome.retryAfterMs === undefined
  return { outcome: isQuota ? { ...outcome, retryAfterMs: quotaMs } : outcome, refused }
}
