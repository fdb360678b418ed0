import {
  answerObject,
  type Call,
  type EventOutcome,
  isJsonObject,
  isWebPage,
  outcomeOfAnswer,
} from '@tributary/connector-kit'
import { shownMessage } from '../../../wire/conversions/shown.ts'
import type { Asked, Verdict } from '../../../wire/google/data-manager.ts'

type Parts = Readonly<Record<string, unknown>>

/** An error of the Google Ads API. `at` is the operation, if the error names one. */
type AdsError = { code: string; words: string; at: number | undefined; isOfJob: boolean; retryMs: number | undefined }

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * Errors of "ConversionUploadError" and "ConversionAdjustmentUploadError" for what Google has counted before, such as
 * after a retry.
 */
const isKnownAlready = words(`
  CALL_CONVERSION_ALREADY_EXISTS CLICK_CONVERSION_ALREADY_EXISTS CONVERSION_ALREADY_ENHANCED CONVERSION_ALREADY_RETRACTED
  ORDER_ID_ALREADY_IN_USE`)

/**
 * The error for a second restatement with the time of an earlier one. It is no success, because the values can differ.
 */
const sameTimeCode = 'RESTATEMENT_ALREADY_EXISTS'

/**
 * The error for a restatement that is older than one that Google has ("More recent adjustment `adjustment_date_time` has
 * already been reported", conversion_adjustment_upload_error.proto). Its value is outdated, such as after a lost response.
 */
const outdatedCode = 'MORE_RECENT_RESTATEMENT_FOUND'

/** Errors that pass, and that concern Google's service. */
const passes = words(`
  CONCURRENT_MODIFICATION DEADLINE_EXCEEDED INTERNAL_ERROR RESOURCE_EXHAUSTED RESOURCE_TEMPORARILY_EXHAUSTED
  EXCESSIVE_SHORT_TERM_QUERY_RESOURCE_CONSUMPTION TRANSIENT_ERROR`)

/**
 * Errors that pass, and that concern the operation: Google refuses clicks of the last 6 hours, calls of the last 12, and
 * conversions of the last 24.
 */
const isTooRecent = words('TOO_RECENT_CALL TOO_RECENT_CONVERSION TOO_RECENT_CONVERSION_ACTION TOO_RECENT_EVENT')

/** Errors that concern the account or the project, so that a user must fix them. */
const ofAccount = words(`
  CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION CUSTOMER_DATA_POLICY_PROHIBITS_ENHANCED_CONVERSIONS
  CUSTOMER_DATA_POLICY_PROHIBITS_ENHANCEMENT CUSTOMER_NOT_ACCEPTED_CUSTOMER_DATA_TERMS
  CUSTOMER_NOT_ALLOWLISTED_FOR_THIS_FEATURE CUSTOMER_NOT_ENABLED CUSTOMER_NOT_ENABLED_ENHANCED_CONVERSIONS_FOR_LEADS
  INVALID_CONVERSION_ACTION INVALID_CONVERSION_ACTION_TYPE NO_CONVERSION_ACTION_FOUND
  NOT_ON_ALLOWLIST_FOR_STORE_SALES_DIRECT NOT_ON_ALLOWLIST_FOR_UNIFIED_STORE_SALES UNSUPPORTED_VERSION
  USER_PERMISSION_DENIED`)

const firstText = (...values: unknown[]): string =>
  values.filter((each) => typeof each === 'string').find((text) => text !== '') ?? ''

const listOf = (value: unknown): Parts[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

const partOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined)

/** The lists of operations in the requests. */
const operations = /^(?:conversions|conversion_?adjustments|operations)$/i
const operationPlace = /\b(?:conversions|conversion_?adjustments|operations)\[(\d{1,6})\]/i

/** Reads "GoogleAdsError" (google/ads/googleads/v25/errors/errors.proto). */
const adsErrorOf = (error: Parts): AdsError => {
  const path = listOf(partOf(error['location'], 'fieldPathElements'))
  const operation = path.find(({ fieldName }) => typeof fieldName === 'string' && operations.test(fieldName))
  const index = operation?.['index']
  const code = firstText(...Object.values(isJsonObject(error['errorCode']) ? error['errorCode'] : {}))
  const delay = partOf(partOf(error['details'], 'quotaErrorDetails'), 'retryDelay')
  const [, seconds] = /^(\d{1,7})(?:\.\d{1,9})?s$/.exec(typeof delay === 'string' ? delay : '') ?? []
  return {
    code,
    words: firstText(error['message'], code, 'Refused by Google'),
    at: typeof index === 'number' ? index : undefined,
    isOfJob: path.some(({ fieldName }) => fieldName === 'job'),
    retryMs: seconds === undefined ? undefined : Number(seconds) * 1000,
  }
}

/** Reads "BadRequest" of google.rpc, with which the REST API refuses a value of a wrong type. */
const violationOf = ({ field, description }: Parts): AdsError => {
  const at = operationPlace.exec(firstText(field))?.[1]
  return {
    code: '',
    words: firstText(description, 'Refused by Google'),
    at: at === undefined ? undefined : Number(at),
    isOfJob: /^job\b/.test(firstText(field)),
    retryMs: undefined,
  }
}

/** Returns the errors of a status (google.rpc.Status). */
const errorsOf = (status: unknown): AdsError[] =>
  listOf(partOf(status, 'details')).flatMap((detail) => [
    ...listOf(detail['errors']).map(adsErrorOf),
    ...listOf(detail['fieldViolations']).map(violationOf),
    // "ErrorInfo", such as ACCESS_TOKEN_SCOPE_INSUFFICIENT.
    ...(typeof detail['reason'] === 'string'
      ? [{ code: detail['reason'], words: '', at: undefined, isOfJob: false, retryMs: undefined }]
      : []),
  ])

const misconfigured = (reason: string) => ({ kind: 'retry' as const, misconfigured: true, reason })

const ofAccountOutcome = (shown: string) => misconfigured(`Google does not take it for the account: ${shown}`)

/** Returns the outcome of an operation that Google refuses, while it can take others. */
const outcomeOf = (code: string, shown: string): EventOutcome => {
  if (isKnownAlready.has(code)) return { kind: 'skipped', reason: `Google has it already: ${shown}` }
  if (code === outdatedCode) return { kind: 'skipped', reason: `Google has a more recent restatement: ${shown}` }
  if (isTooRecent.has(code)) return { kind: 'retry', ofEvent: true, reason: shown }
  if (passes.has(code)) return { kind: 'retry', reason: shown }
  if (ofAccount.has(code)) return { ...ofAccountOutcome(shown), ofEvent: true }
  return { kind: 'rejected', reason: shown }
}

/**
 * Maximum pause in ms after a used-up quota. The destination rests for that time, and its other conversions have a quota
 * of their own.
 */
const maxQuotaMs = 60_000

const wholeOutcome = (call: Call, errors: readonly AdsError[], shown: string, now: number): EventOutcome => {
  const { status } = call.answer
  if (errors.some(({ code }) => code === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'))
    return misconfigured('The connection does not include the Google Ads API: reconnect')
  if (status === 403) return misconfigured(`Google does not allow access to the Google Ads API: ${shown}`)
  if (status === 404) return misconfigured(`Google does not find the account or the version of the API: ${shown}`)
  if (status >= 300 && status < 400)
    return misconfigured(`Google redirects (HTTP ${status}), so something is in its way`)
  const account = errors.find(({ code, at }) => at === undefined && ofAccount.has(code))
  if (account !== undefined) return ofAccountOutcome(shown)
  const outcome = outcomeOfAnswer(call.answer, now, shown)
  if (outcome.kind !== 'retry' || status !== 429) return outcome
  const asked = outcome.retryAfterMs ?? errors.find(({ retryMs }) => retryMs !== undefined)?.retryMs ?? maxQuotaMs
  return { ...outcome, retryAfterMs: Math.min(asked, maxQuotaMs) }
}

/**
 * Returns the outcomes of the operations that a successful response refuses ("partialFailureError"). An error that names
 * no operation concerns those without a result. `sameTime` has those with the time of an earlier restatement.
 */
const apartOf = (
  answer: Parts,
  count: number,
  shown: (text: string) => string,
): Required<Pick<Verdict, 'apart' | 'sameTime'>> => {
  const apart = new Map<number, EventOutcome>()
  const errors = errorsOf(answer['partialFailureError'])
  const sameTime = new Set(errors.flatMap(({ at, code }) => (at !== undefined && code === sameTimeCode ? [at] : [])))
  for (const { at, code, words: text } of errors)
    if (at !== undefined && at < count && !apart.has(at)) apart.set(at, outcomeOf(code, shown(text)))
  const unnamed = errors.find(({ at }) => at === undefined || at >= count)
  const isUnread = errors.length === 0 && isJsonObject(answer['partialFailureError'])
  if (unnamed === undefined && !isUnread) return { apart, sameTime }
  const results = Array.isArray(answer['results']) ? answer['results'] : []
  const reason = shown(unnamed?.words ?? firstText(partOf(answer['partialFailureError'], 'message')))
  for (let at = 0; at < count; at++) {
    const isDone = isJsonObject(results[at]) && Object.keys(results[at]).length > 0
    if (!isDone && !apart.has(at)) apart.set(at, outcomeOf(unnamed?.code ?? '', reason))
  }
  return { apart, sameTime }
}

/**
 * Returns the content of a response of the Google Ads API to a request with a number of operations
 * (developers.google.com/google-ads/api/docs/best-practices/partial-failures). It throws nothing for an account
 * without access, because the other API of the destination can work.
 */
export const adsVerdictOf = ({ call, hidden }: Asked, { count, now }: { count: number; now: number }): Verdict => {
  const answer = answerObject(call)
  const shown = (text: string): string => shownMessage(text, hidden)
  const error = isJsonObject(answer?.['error']) ? answer['error'] : undefined
  const isSuccess = call.answer.status >= 200 && call.answer.status < 300
  if (isSuccess && isWebPage(call.answer))
    return { outcome: misconfigured('A web page came in place of Google’s response'), refused: new Map() }
  if (isSuccess && answer !== undefined && error === undefined)
    return { outcome: { kind: 'delivered' }, refused: new Map(), ...apartOf(answer, count, shown) }
  if (isSuccess)
    return { outcome: { kind: 'retry', reason: 'Google did not say what became of the request' }, refused: new Map() }
  const errors = errorsOf(error)
  const [first] = errors
  const text = firstText(first?.words, error?.['message'])
  const outcome = wholeOutcome(call, errors, text === '' ? `HTTP ${call.answer.status}` : shown(text), now)
  const refused = new Map<number, string>()
  for (const { at, isOfJob, words: why } of errors) {
    const places = isOfJob ? Array.from({ length: count }, (_, index) => index) : at === undefined ? [] : [at]
    for (const place of places) if (place < count && !refused.has(place)) refused.set(place, shown(why))
  }
  return { outcome, refused }
}
