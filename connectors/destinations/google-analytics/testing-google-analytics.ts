import { isIP } from 'node:net'
import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'

/** The credentials and origins of the simulated vendor. */
export const origins = ['https://www.google-analytics.com', 'https://region1.google-analytics.com']
export const secret = 'measurement-secret-0123456789'
export const measurement = 'G-A1B2C3D4E5'
export const firebaseApp = '1:1234567890:ios:321abc456def7890'

/** A request that the simulated vendor received. */
export type Sent = {
  client_id?: string
  app_instance_id?: string
  device?: Record<string, unknown>
  user_location?: Record<string, unknown>
  consent?: Record<string, string>
  user_data?: Record<string, string[]>
  user_id?: string
  user_properties?: Record<string, { value?: unknown }>
  ip_override?: string
  user_agent?: string
  events?: { name: string; timestamp_micros?: number; params?: Record<string, unknown> }[]
}

type Event = NonNullable<Sent['events']>[number]

/** "Validate events": the code and the description of a problem. */
type Mistake = [code: string, description: string]

const reserved = /^(_|firebase_|ga_|google_|gtag\.)/
// "In addition, ad_impression, in_app_purchase and screen_view events are only allowed for App streams."
const reservedNames = [
  'ad_impression',
  'in_app_purchase',
  'screen_view',
  'ad_click',
  'app_remove',
  'first_open',
  'session_start',
  'user_engagement',
]
const longest: Readonly<Record<string, number>> = { page_location: 1000, page_referrer: 420, page_title: 300 }

const mistakeOfParam = ([name, value]: [string, unknown]): Mistake | undefined => {
  if (reserved.test(name)) return ['NAME_RESERVED', `Parameter ${name} is reserved`]
  if (!/^[A-Za-z]\w{0,39}$/.test(name)) return ['NAME_INVALID', `Parameter ${name} is invalid`]
  if (name !== 'items' && (value === null || typeof value === 'object'))
    return ['VALUE_INVALID', `Parameter ${name} is invalid`]
  if (typeof value === 'string' && value.length > (longest[name] ?? 100))
    return ['VALUE_OUT_OF_BOUNDS', `Parameter ${name} is too long`]
  return undefined
}

const ofApps = ['ad_impression', 'in_app_purchase', 'screen_view']

const mistakeOfEvent = ({ name, timestamp_micros: at, params = {} }: Event, isApp: boolean): Mistake | undefined => {
  const isOfApp = isApp && ofApps.includes(name)
  if (reserved.test(name) || (reservedNames.includes(name) && !isOfApp))
    return ['NAME_RESERVED', `Event ${name} is reserved`]
  if (!/^[A-Za-z]\w{0,39}$/.test(name)) return ['NAME_INVALID', `Event ${name} is invalid`]
  // RELAXED validation "ignores parameters that exceed limits".
  if (Object.keys(params).length > 100) return ['EXCEEDED_MAX_ENTITIES', 'Too many parameters']
  const hours = at === undefined ? 0 : (Date.now() - at / 1000) / 3_600_000
  if (hours > 72 || hours < -0.1) return ['VALUE_OUT_OF_BOUNDS', 'timestamp_micros is out of bounds']
  const { value, currency } = params
  if (value !== undefined && (typeof value !== 'number' || currency === undefined))
    return ['VALUE_REQUIRED', 'A value is a number and needs a currency']
  if (currency !== undefined && (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)))
    return ['VALUE_INVALID', 'currency is invalid']
  const items = Array.isArray(params['items']) ? (params['items'] as Record<string, unknown>[]) : []
  // "One of item_id or item_name is required."
  if (items.some(({ item_id: id, item_name: named }) => id === undefined && named === undefined))
    return ['VALUE_REQUIRED', 'An item needs item_id or item_name']
  return Object.entries(params)
    .map(mistakeOfParam)
    .find((found) => found !== undefined)
}

const mistakeOfUser = ({ user_properties: properties = {}, ip_override: ip, user_agent: agent }: Sent) => {
  for (const [name, { value }] of Object.entries(properties))
    if (
      !/^[A-Za-z]\w{0,23}$/.test(name) ||
      reserved.test(name) ||
      String(value).length > 36 ||
      typeof value === 'object'
    )
      return ['VALUE_INVALID', `User property ${name} is invalid`] satisfies Mistake
  if (ip !== undefined && isIP(ip) === 0) return ['VALUE_INVALID', 'ip_override is invalid'] satisfies Mistake
  return agent === '' ? (['VALUE_INVALID', 'user_agent is invalid'] satisfies Mistake) : undefined
}

/** Returns a JSON response. */
export const json = (body: unknown): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/**
 * Creates a stand-in for the Measurement Protocol that follows Google's pages
 * (developers.google.com/analytics/devguides/collection/protocol/ga4). An invalid event is dropped silently.
 * - "Send Measurement Protocol events": 25 events, 25 parameters, 130 kB, names, lengths, 72 hours.
 * - Its reference: client ID, reserved names, consent, IP address, user properties, relaxed validation.
 * - "Send Measurement Protocol events", app streams: firebase_app_id in the URL and app_instance_id in the body.
 * - "Send user-provided data": hashes.
 * - "Validate events": always 2xx, the validation server responds with codes.
 */
export const createAnalytics = () => {
  const counted: Sent[] = []
  const mistakeOf = (sent: Sent, bytes: number, isApp: boolean): Mistake | undefined => {
    const { client_id: client, app_instance_id: instance, consent = {}, user_data: person = {}, events = [] } = sent
    if (isApp && (instance === undefined || instance === '')) return ['VALUE_REQUIRED', 'app_instance_id is required']
    if (!isApp && (client === undefined || client === '')) return ['VALUE_REQUIRED', 'client_id is required']
    if (!isApp && !/^[1-9]\d*\.[1-9]\d*$/.test(client ?? ''))
      return ['VALUE_INVALID', 'client_id must be two positive numbers, joined by a period']
    const ofUser = mistakeOfUser(sent)
    if (ofUser !== undefined) return ofUser
    if (events.length === 0 || events.length > 25 || bytes > 130_000)
      return ['EXCEEDED_MAX_ENTITIES', 'Too many events']
    if (Object.values(consent).some((each) => !['GRANTED', 'DENIED'].includes(each)))
      return ['VALUE_INVALID', 'consent is invalid']
    if (
      !Object.values(person)
        .flat()
        .every((hash) => /^[a-f0-9]{64}$/.test(hash))
    )
      return ['VALUE_INVALID', 'user_data is not hashed']
    return events.map((event) => mistakeOfEvent(event, isApp)).find((found): found is Mistake => found !== undefined)
  }
  const answer = ({
    host,
    path,
    query,
    body,
    raw,
  }: Pick<VendorRequest, 'host' | 'path' | 'query' | 'body'> & { raw: { bytes: Uint8Array } }): PeerAnswer => {
    if (!origins.includes(`https://${host}`)) return { status: 404 }
    const isApp = query['firebase_app_id'] !== undefined
    const mistake = mistakeOf(body as Sent, raw.bytes.length, isApp)
    if (path === '/debug/mp/collect')
      return json({
        validationMessages: mistake === undefined ? [] : [{ description: mistake[1], validationCode: mistake[0] }],
      })
    if (path !== '/mp/collect') return { status: 404 }
    const isStream = isApp ? query['firebase_app_id'] === firebaseApp : query['measurement_id'] === measurement
    if (mistake === undefined && query['api_secret'] === secret && isStream) counted.push(body as Sent)
    return { status: 204 }
  }
  return { answer, counted }
}
