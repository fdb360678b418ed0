import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { answerOf } from '../../../wire/google/testing-data-manager.ts'

type Parts = Readonly<Record<string, unknown>>
/** An error of an operation: its kind, its code, and the field of the operation. */
type Mistake = [kind: string, code: string, field: string]

const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d$/
const hash = /^[a-f0-9]{64}$/
const failureType = 'type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure'

const objectOf = (value: unknown): Parts => (value ?? {}) as Parts
const listOf = (value: unknown): Parts[] => (value ?? []) as Parts[]
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns "GoogleAdsError" in JSON, for an operation of a list or for a field of the request. */
const adsError = ([kind, code, field]: Mistake, list: string, index?: number) => ({
  errorCode: { [kind]: code },
  message: `The error ${code}`,
  location: {
    fieldPathElements: index === undefined ? [{ fieldName: list }] : [{ fieldName: list, index }, { fieldName: field }],
  },
})

/** Returns an error for a whole request, with "GoogleAdsFailure" for a code. */
export const adsErrorOf = (
  status: number,
  name: string,
  code: Readonly<Record<string, string>> = {},
  more: Parts = {},
): PeerAnswer =>
  answerOf(status, {
    error: {
      code: status,
      status: name,
      message: 'Request contains an invalid argument.',
      details:
        Object.keys(code).length === 0
          ? []
          : [{ '@type': failureType, errors: [{ errorCode: code, message: Object.values(code).join(), ...more }] }],
    },
  })

/** "UserIdentifier": exactly one identifier, hashed. */
const mistakeOfPerson = (identifiers: readonly Parts[], kind: string): Mistake | undefined => {
  const isValid = identifiers.every(({ userIdentifierSource: source = 'FIRST_PARTY', ...rest }) => {
    const [name = '', value] = Object.entries(rest)[0] ?? []
    const address = objectOf(rest['addressInfo'])
    const hashes = [
      address['hashedFirstName'],
      address['hashedLastName'],
      address['hashedStreetAddress'] ?? 'a'.repeat(64),
    ]
    return (
      Object.keys(rest).length === 1 &&
      ['FIRST_PARTY', 'THIRD_PARTY'].includes(textOf(source)) &&
      (name === 'addressInfo'
        ? hashes.every((each) => hash.test(textOf(each)))
        : name === 'thirdPartyUserId' || hash.test(textOf(value)))
    )
  })
  return isValid ? undefined : [kind, 'INVALID_USER_IDENTIFIER', 'user_identifiers']
}

const mistakeOfConversion = (operation: Parts, type: string): Mistake | undefined => {
  const kind = 'conversionUploadError'
  if (type !== 'CALL' && operation['callerId'] !== undefined) return [kind, 'UNKNOWN', 'caller_id']
  if (!time.test(textOf(operation['conversionDateTime'])))
    return ['dateError', 'INVALID_STRING_DATE_TIME', 'conversion_date_time']
  if (!/^customers\/\d{10}\/conversionActions\/\d+$/.test(textOf(operation['conversionAction'])))
    return [kind, 'NO_CONVERSION_ACTION_FOUND', 'conversion_action']
  if (typeof (operation['conversionValue'] ?? 0) !== 'number') return ['numberError', 'INVALID', 'conversion_value']
  if (type === 'CALL') {
    if (!/^\+[1-9]\d{6,14}$/.test(textOf(operation['callerId'])))
      return [kind, 'UNPARSEABLE_CALLERS_PHONE_NUMBER', 'caller_id']
    if (!time.test(textOf(operation['callStartDateTime'])))
      return ['dateError', 'INVALID_STRING_DATE_TIME', 'call_start_date_time']
    return undefined
  }
  const identifiers = listOf(operation['userIdentifiers'])
  if (identifiers.some(({ addressInfo }) => addressInfo !== undefined))
    return [kind, 'UNSUPPORTED_USER_IDENTIFIER', 'user_identifiers']
  const isAttributed = operation['externalAttributionData'] !== undefined
  if (isAttributed && operation['orderId'] !== undefined)
    return [kind, 'ORDER_ID_NOT_PERMITTED_FOR_EXTERNALLY_ATTRIBUTED_CONVERSION_ACTION', 'order_id']
  if (isAttributed && identifiers.length > 0)
    return [kind, 'EXTERNALLY_ATTRIBUTED_CONVERSION_ACTION_NOT_PERMITTED_WITH_USER_IDENTIFIER', 'user_identifiers']
  return mistakeOfPerson(identifiers, kind)
}

/** "ConversionAdjustment": a retraction has no value, a restatement has one, an enhancement has a person. */
const mistakeOfAdjustment = (operation: Parts): Mistake | undefined => {
  const kind = 'conversionAdjustmentUploadError'
  const { adjustmentType: type, orderId, gclidDateTimePair: pair, restatementValue: value } = operation
  const identifiers = listOf(operation['userIdentifiers'])
  if (!time.test(textOf(operation['adjustmentDateTime'])))
    return ['dateError', 'INVALID_STRING_DATE_TIME', 'adjustment_date_time']
  if (type !== 'ENHANCEMENT' && orderId !== undefined && pair !== undefined)
    return [kind, 'GCLID_DATE_TIME_PAIR_AND_ORDER_ID_BOTH_SET', 'order_id']
  if (orderId === undefined && pair === undefined) return [kind, 'MISSING_ORDER_ID_FOR_WEBPAGE', 'order_id']
  if ((type === 'RESTATEMENT') !== (value !== undefined))
    return ['fieldError', 'VALUE_MUST_BE_UNSET', 'restatement_value']
  if ((type === 'ENHANCEMENT') !== identifiers.length > 0)
    return [kind, 'UNSUPPORTED_USER_IDENTIFIER', 'user_identifiers']
  return mistakeOfPerson(identifiers, kind)
}

const mistakeOfSale = ({ create }: Parts): Mistake | undefined => {
  const kind = 'offlineUserDataJobError'
  const { userIdentifiers, transactionAttribute } = objectOf(create)
  const sale = objectOf(transactionAttribute)
  if (!time.test(textOf(sale['transactionDateTime']))) return ['dateError', 'INVALID_STRING_DATE_TIME', 'create']
  if (!(Number(sale['transactionAmountMicros']) > 1000)) return ['rangeError', 'TOO_LOW', 'create']
  if (listOf(userIdentifiers).length === 0) return [kind, 'MISSING_USER_IDENTIFIER', 'create']
  return mistakeOfPerson(listOf(userIdentifiers), kind)
}

const mistakesOf = { uploadCallConversions: 'CALL', uploadClickConversions: 'CLICK' } as const

/** Returns the code that a test asks for: a transaction ID or a receipt such as `error:TOO_RECENT_EVENT:o-1`. */
const simulated = (operation: Parts): Mistake | undefined => {
  const sale = objectOf(objectOf(operation['create'])['transactionAttribute'])
  const [mark, code = ''] = textOf(operation['orderId'] ?? sale['orderId']).split(':')
  return mark === 'error' ? ['conversionUploadError', code, 'order_id'] : undefined
}

/**
 * Creates a stand-in for the Google Ads API v25 that follows Google's reference (github.com/googleapis/googleapis,
 * google/ads/googleads/v25): `ConversionUploadService`, `ConversionAdjustmentUploadService`, and
 * `OfflineUserDataJobService` with "UserIdentifier", "TransactionAttribute", and "StoreSalesMetadata". Errors of
 * operations are in `partialFailureError`, with an empty result for each ("Partial failures" of the API's best
 * practices). An order ID is used once (ORDER_ID_ALREADY_IN_USE), and all operations with a repeated one are refused.
 */
export const createAdsApi = ({ token, customer }: { token: string; customer: string }) => {
  const taken: { method: string; operation: Parts }[] = []
  const jobs = new Map<string, { operations: Parts[]; isStarted: boolean }>()
  const orders = new Set<string>()
  const restatements = new Map<string, string[]>()

  /** A restatement has another time than an earlier one (RESTATEMENT_ALREADY_EXISTS), and is newer than all. */
  const mistakeOfTime = (order: string, time: string): Mistake | undefined => {
    const times = restatements.get(order) ?? []
    restatements.set(order, [...times, time])
    if (times.includes(time)) return ['conversionAdjustmentUploadError', 'RESTATEMENT_ALREADY_EXISTS', 'restatement']
    return times.some((each) => each > time)
      ? ['conversionAdjustmentUploadError', 'MORE_RECENT_RESTATEMENT_FOUND', 'restatement']
      : undefined
  }

  const mistakeOf = (method: string, operation: Parts, all: readonly Parts[]): Mistake | undefined => {
    const order = textOf(operation['orderId'])
    const type = textOf(operation['adjustmentType'])
    const key = `${method} ${order} ${type}`
    const asked = simulated(operation)
    if (asked !== undefined) return asked
    if (method === 'operations') return mistakeOfSale(operation)
    const mistake =
      method === 'uploadConversionAdjustments'
        ? mistakeOfAdjustment(operation)
        : mistakeOfConversion(operation, mistakesOf[method as keyof typeof mistakesOf])
    if (mistake !== undefined || order === '') return mistake
    if (all.filter(({ orderId }) => orderId === order).length > 1)
      return ['conversionUploadError', 'DUPLICATE_ORDER_ID', 'order_id']
    if (type === 'RESTATEMENT') return mistakeOfTime(order, textOf(operation['adjustmentDateTime']))
    if (orders.has(key)) return ['conversionUploadError', 'ORDER_ID_ALREADY_IN_USE', 'order_id']
    orders.add(key)
    return undefined
  }

  /** Returns the response to operations, of which those without a mistake are taken. */
  const answerTo = (method: string, list: string, operations: readonly Parts[], validateOnly: boolean): PeerAnswer => {
    const mistakes = operations.map((operation) => mistakeOf(method, operation, operations))
    const errors = mistakes.flatMap((mistake, index) => (mistake === undefined ? [] : [adsError(mistake, list, index)]))
    const good = operations.filter((_, index) => mistakes[index] === undefined)
    if (!validateOnly) taken.push(...good.map((operation) => ({ method, operation })))
    const failure =
      errors.length === 0
        ? {}
        : { partialFailureError: { code: 3, message: 'Multiple errors', details: [{ '@type': failureType, errors }] } }
    const results = mistakes.map((mistake, index) =>
      mistake === undefined ? { conversionAction: operations[index]?.['conversionAction'] ?? 'c' } : {},
    )
    return answerOf(200, { ...failure, ...(validateOnly || method === 'operations' ? {} : { results }) })
  }

  const answerOfJobs = (path: string, body: Parts): PeerAnswer => {
    const root = `customers/${customer}/offlineUserDataJobs`
    if (path === `${root}:create`) {
      const { type, storeSalesMetadata } = objectOf(body['job'])
      const {
        loyaltyFraction: loyalty,
        transactionUploadFraction: uploaded,
        thirdPartyMetadata,
      } = objectOf(storeSalesMetadata)
      const isValid = [loyalty, uploaded].every((each) => Number(each) > 0 && Number(each) <= 1)
      const expected =
        thirdPartyMetadata === undefined ? 'STORE_SALES_UPLOAD_FIRST_PARTY' : 'STORE_SALES_UPLOAD_THIRD_PARTY'
      if (!isValid || type !== expected) return adsErrorOf(400, 'INVALID_ARGUMENT', { rangeError: 'TOO_LOW' })
      if (body['validateOnly'] === true) return answerOf(200, {})
      const name = `${root}/${jobs.size + 1}`
      jobs.set(name, { operations: [], isStarted: false })
      return answerOf(200, { resourceName: name })
    }
    const [, name = '', verb] = /^(.*):(addOperations|run)$/.exec(path) ?? []
    const job = jobs.get(name)
    if (job === undefined) return adsErrorOf(404, 'NOT_FOUND')
    if (job.isStarted) return adsErrorOf(400, 'INVALID_ARGUMENT', { offlineUserDataJobError: 'JOB_ALREADY_STARTED' })
    if (verb === 'run') {
      job.isStarted = true
      return answerOf(200, { name: `customers/${customer}/operations/1` })
    }
    const before = taken.length
    const answer = answerTo('operations', 'operations', listOf(body['operations']), false)
    job.operations.push(...taken.splice(before).map(({ operation }) => operation))
    return answer
  }

  const answer = ({ method, path, headers, body: given }: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
    const body = objectOf(given)
    const below = path.replace('/v25/', '')
    if (method !== 'POST' || !path.startsWith('/v25/')) return adsErrorOf(404, 'NOT_FOUND')
    if (headers['authorization'] !== `Bearer ${token}`)
      return adsErrorOf(401, 'UNAUTHENTICATED', { authenticationError: 'OAUTH_TOKEN_INVALID' })
    if (!below.startsWith(`customers/${customer}`))
      return adsErrorOf(403, 'PERMISSION_DENIED', { authorizationError: 'USER_PERMISSION_DENIED' })
    if (below.includes('/offlineUserDataJobs')) return answerOfJobs(below, body)
    if (below.endsWith('/googleAds:search')) return answerOf(200, { results: [{ customer: { id: customer } }] })
    const verb = below.slice(below.lastIndexOf(':') + 1)
    if (body['partialFailure'] !== true)
      return adsErrorOf(400, 'INVALID_ARGUMENT', { partialFailureError: 'PARTIAL_FAILURE_MODE_REQUIRED' })
    const isAdjustment = verb === 'uploadConversionAdjustments'
    const operations = listOf(body[isAdjustment ? 'conversionAdjustments' : 'conversions'])
    const list = isAdjustment ? 'conversion_adjustments' : 'conversions'
    return answerTo(verb, list, operations, body['validateOnly'] === true)
  }
  /** The sales of started jobs. */
  const sold = (): Parts[] => [...jobs.values()].flatMap(({ isStarted, operations }) => (isStarted ? operations : []))
  return { answer, taken, sold, jobs }
}
