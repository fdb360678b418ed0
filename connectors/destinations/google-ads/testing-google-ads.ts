import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { answerOf, errorOf } from '../../wire/google/testing-data-manager.ts'
import { createAdsApi } from './ads-api/testing-ads-api.ts'

export { errorOf }

/** The credentials of the simulated vendor. */
export const token = 'ya29.ads-0123456789'
export const customer = '1234567890'
export const conversionAction = '7012345678'

type Identifier = { emailAddress?: string; phoneNumber?: string; address?: Record<string, string> }
export type IngestedEvent = {
  transactionId?: string
  eventTimestamp?: string
  eventSource?: string
  conversionValue?: unknown
  currency?: string
  conversionCount?: unknown
  adIdentifiers?: Record<string, unknown>
  eventDeviceInfo?: Record<string, unknown>
  customVariables?: { variable?: unknown; value?: unknown }[]
  userProperties?: Record<string, unknown>
  eventLocation?: Record<string, unknown>
  userData?: { userIdentifiers?: Identifier[] }
  consent?: Record<string, string>
  cartData?: {
    merchantId?: string
    merchantFeedLabel?: string
    merchantFeedLanguageCode?: string
    transactionDiscount?: unknown
    couponCodes?: unknown[]
    items?: { merchantProductId?: unknown; quantity?: unknown; unitPrice?: unknown }[]
  }
}

const isHash = (text: string | undefined): boolean => text === undefined || /^[a-f0-9]{64}$/.test(text)

const dayMs = 86_400_000
const sources = ['WEB', 'APP', 'IN_STORE', 'PHONE', 'MESSAGE', 'OTHER']

/** A value of "ErrorReason" of the Data Manager API, and Google's description. */
type Mistake = [reason: string, description: string]

const mistakeOfPerson = (identifiers: readonly Identifier[]): Mistake | undefined => {
  if (identifiers.length > 10) return ['TOO_MANY_USER_IDENTIFIERS', 'Too many identifiers']
  const addresses = identifiers.flatMap(({ address }) => (address === undefined ? [] : [address]))
  const hashes = [
    ...identifiers.flatMap(({ emailAddress, phoneNumber }) => [emailAddress, phoneNumber]),
    ...addresses.flatMap(({ givenName, familyName }) => [givenName, familyName]),
  ]
  if (!hashes.every(isHash)) return ['INVALID_SHA256_FORMAT', 'The SHA256 encoded value is malformed']
  if (addresses.some(({ regionCode = '' }) => !/^[A-Z]{2}$/.test(regionCode)))
    return ['INVALID_COUNTRY_CODE', 'Country code is not valid']
  if (addresses.some(({ postalCode = '' }) => postalCode.trim() === ''))
    return ['INVALID_POSTAL_CODE', 'Postal code is not valid']
  return undefined
}

/** "Event", "DeviceInfo", "CartData", "CustomVariable", "UserProperties": types of fields and values of enums. */
const mistakeOfDetails = ({
  eventDeviceInfo: device = {},
  userProperties: customer = {},
  cartData: cart = {},
  customVariables: variables = [],
}: IngestedEvent): Mistake | undefined => {
  const { screenWidth = 1, screenHeight = 1, languageCode = 'en' } = device
  if (![screenWidth, screenHeight].every(Number.isInteger)) return ['INVALID_NUMBER_FORMAT', 'Invalid screen']
  if (!/^[a-z]{2}$/.test(String(languageCode))) return ['INVALID_FORMAT', 'Invalid language']
  const { customerType = 'NEW', customerValueBucket = 'LOW' } = customer
  if (!['NEW', 'RETURNING', 'REENGAGED'].includes(String(customerType))) return ['INVALID_ENUM_VALUE', 'Customer type']
  if (!['LOW', 'MEDIUM', 'HIGH'].includes(String(customerValueBucket))) return ['INVALID_ENUM_VALUE', 'Customer value']
  if (typeof (cart.transactionDiscount ?? 0) !== 'number') return ['INVALID_NUMBER_FORMAT', 'Invalid discount']
  if (variables.some(({ variable, value }) => typeof variable !== 'string' || typeof value !== 'string'))
    return ['INVALID_CUSTOM_VARIABLE_VALUE', 'The custom variable is invalid']
  return variables.some(({ value }) => String(value).includes('@'))
    ? ['CUSTOM_VARIABLE_VALUE_CONTAINS_PII', 'The custom variable value contains PII']
    : undefined
}

const mistakeOf = (event: IngestedEvent): Mistake | undefined => {
  const { eventTimestamp: time = '', adIdentifiers: click = {}, userData = {}, conversionValue: value } = event
  const identifiers = userData.userIdentifiers ?? []
  const age = Date.now() - Date.parse(time)
  if (!(age > -60_000) || age > 90 * dayMs) return ['INVALID_EVENT', 'Invalid event timestamp']
  if (event.eventSource !== undefined && !sources.includes(event.eventSource))
    return ['INVALID_ENUM_VALUE', 'Enum value cannot be used']
  const clickIds = ['gclid', 'gbraid', 'wbraid'].filter((name) => click[name] !== undefined)
  if (clickIds.length === 0 && identifiers.length === 0)
    return ['NO_IDENTIFIERS_PROVIDED', 'Events data contains no user identifiers or ad identifiers']
  if (clickIds.length > 1) return ['INVALID_EVENT', 'Only one click ID may be set']
  const ofPerson = mistakeOfPerson(identifiers)
  if (ofPerson !== undefined) return ofPerson
  if (value !== undefined && typeof value !== 'number') return ['INVALID_NUMBER_FORMAT', 'Invalid number format']
  if (event.currency !== undefined && !/^[A-Z]{3}$/.test(event.currency))
    return ['INVALID_CURRENCY_CODE', 'The currency code is not supported']
  // "Item": quantity is an int64, unit_price a double.
  for (const { merchantProductId: id, quantity = 1, unitPrice = 0 } of event.cartData?.items ?? [])
    if (typeof id !== 'string' || !Number.isInteger(quantity) || typeof unitPrice !== 'number')
      return ['INVALID_NUMBER_FORMAT', 'Invalid item']
  const mistake = mistakeOfDetails(event)
  if (mistake !== undefined) return mistake
  const consents = Object.values(event.consent ?? {})
  if (consents.some((each) => !/^CONSENT_(GRANTED|DENIED)$/.test(each)))
    return ['INVALID_ENUM_VALUE', 'Enum value cannot be used']
  // Simulates a rule that only Google can check.
  if (event.transactionId?.startsWith('refused') === true)
    return ['INVALID_EVENT', `Refused in ${String(identifiers.at(-1)?.address?.['postalCode'])}`]
  return undefined
}

/**
 * Creates a stand-in for `events:ingest` that follows Google's pages (developers.google.com/data-manager/api):
 * reference of the method (destinations, 2,000 events, HEX, `validateOnly`), "ErrorReason" (googleapis,
 * google/ads/datamanager/v1/error.proto). "Understand API errors": a request is accepted completely or not at all;
 * ErrorInfo has the reason, BadRequest the fields. "Limits and quotas": 10 destinations and identifiers. "Conversion
 * adjustments": the same transactionId replaces value and currency and does not count again. With `named` false, errors
 * do not name the event. The Google Ads API has a stand-in of its own.
 */
export const createGoogleAds = (given: { named?: boolean } = {}) => {
  const counted = new Map<string, IngestedEvent>()
  const adsApi = createAdsApi({ token, customer })
  const answer = (request: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
    const { method, host, path, headers, body } = request
    if (host === 'googleads.googleapis.com') return adsApi.answer(request)
    if (host !== 'datamanager.googleapis.com' || method !== 'POST' || path !== '/v1/events:ingest')
      return errorOf(404, 'NOT_FOUND', 'Requested entity was not found.')
    if (headers['authorization'] !== `Bearer ${token}`)
      return errorOf(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
    const { destinations, events, encoding, validateOnly } = body as {
      destinations: { operatingAccount: Record<string, string>; productDestinationId: string }[]
      events: IngestedEvent[]
      encoding?: string
      validateOnly?: boolean
    }
    const [destination] = destinations
    if (destination?.operatingAccount['accountId'] !== customer)
      return errorOf(403, 'PERMISSION_DENIED', 'The caller does not have permission')
    if (destination.productDestinationId === '999')
      return errorOf(400, 'INVALID_ARGUMENT', 'There was a problem with the request.', [
        {
          field: 'destinations[0].product_destination_id',
          description: 'Invalid conversion action',
          reason: 'INVALID_CONVERSION_ACTION_ID',
        },
      ])
    if (events.length > 2000)
      return errorOf(400, 'INVALID_ARGUMENT', 'There was a problem with the request.', [], 'TOO_MANY_EVENTS')
    if (events.length === 0 || destinations.length > 10 || encoding !== 'HEX')
      return errorOf(400, 'INVALID_ARGUMENT', 'There was a problem with the request.')
    const violations = events.flatMap((event, at) => {
      const mistake = mistakeOf(event)
      return mistake === undefined ? [] : [{ field: `events[${at}]`, reason: mistake[0], description: mistake[1] }]
    })
    if (violations.length > 0)
      return errorOf(
        400,
        'INVALID_ARGUMENT',
        'There was a problem with the request.',
        given.named === false ? [] : violations,
      )
    if (validateOnly !== true)
      for (const event of events)
        counted.set(`${destination.productDestinationId}/${event.transactionId}`, {
          ...counted.get(`${destination.productDestinationId}/${event.transactionId}`),
          ...event,
        })
    return answerOf(200, { requestId: '126365e1-16d0-4c81-9de9-f362711e250a' })
  }
  return { answer, counted, adsApi }
}
