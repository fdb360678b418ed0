import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'

/** What the vendor of the test takes. */
export const token = 'ya29.ads-0123456789'
export const customer = '1234567890'
export const conversionAction = '7012345678'

type Identifier = { emailAddress?: string; phoneNumber?: string; address?: Record<string, string> }
export type IngestedEvent = {
  transactionId?: string
  eventTimestamp?: string
  conversionValue?: unknown
  currency?: string
  adIdentifiers?: Record<string, string>
  userData?: { userIdentifiers?: Identifier[] }
  consent?: Record<string, string>
}

const answerOf = (status: number, body: unknown): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** An error in the form of google.rpc.Status, with the fields that are at fault. */
export const errorOf = (
  code: number,
  status: string,
  message: string,
  fieldViolations: { field: string; description: string }[] = [],
): PeerAnswer =>
  answerOf(code, {
    error: {
      code,
      status,
      message,
      details: fieldViolations.length === 0 ? [] : [{ '@type': 'google.rpc.BadRequest', fieldViolations }],
    },
  })

const isHash = (text: string | undefined): boolean => text === undefined || /^[a-f0-9]{64}$/.test(text)

const mistakeOf = (event: IngestedEvent): string | undefined => {
  const { eventTimestamp: time = '', adIdentifiers: click = {}, userData = {}, conversionValue: value } = event
  const identifiers = userData.userIdentifiers ?? []
  if (Number.isNaN(Date.parse(time)) || Date.parse(time) > Date.now() + 60_000) return 'Invalid event timestamp'
  if (Object.keys(click).length === 0 && identifiers.length === 0) return 'Missing identifiers'
  if (Object.keys(click).length > 1) return 'Only one click ID may be set'
  if (identifiers.length > 10) return 'Too many identifiers'
  if (identifiers.some((each) => !isHash(each.emailAddress) || !isHash(each.phoneNumber))) return 'Invalid hash'
  if (value !== undefined && typeof value !== 'number') return 'Invalid value'
  if (event.currency !== undefined && !/^[A-Z]{3}$/.test(event.currency)) return 'Invalid currency code'
  const consents = Object.values(event.consent ?? {})
  if (consents.some((each) => !/^CONSENT_(GRANTED|DENIED)$/.test(each))) return 'Invalid consent'
  // What only Google knows.
  if (event.transactionId?.startsWith('refused') === true)
    return `Refused in ${String(identifiers.at(-1)?.address?.['postalCode'])}`
  return undefined
}

/**
 * `events:ingest` as Google's pages have it (developers.google.com/data-manager/api): reference of the method (destinations, 2,000 events, HEX,
 * `validateOnly`), "Understand API errors" (a request is taken whole or not at all; BadRequest names the fields), and "Conversion adjustments"
 * (the same transactionId replaces value and currency and counts no second time). `named` false: it does not say which event is at fault.
 */
export const createGoogleAds = (given: { named?: boolean } = {}) => {
  const counted = new Map<string, IngestedEvent>()
  const answer = ({ method, host, path, headers, body }: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
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
        { field: 'destinations[0].product_destination_id', description: 'Invalid conversion action' },
      ])
    if (events.length === 0 || events.length > 2000 || encoding !== 'HEX')
      return errorOf(400, 'INVALID_ARGUMENT', 'There was a problem with the request.')
    const violations = events.flatMap((event, at) => {
      const description = mistakeOf(event)
      return description === undefined ? [] : [{ field: `events[${at}]`, description }]
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
  return { answer, counted }
}
