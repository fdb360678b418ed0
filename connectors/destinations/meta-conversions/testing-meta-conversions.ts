import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { answerOf, errorOf } from '../../wire/meta/testing-graph.ts'

/** The credentials of the simulated vendor. */
export const token = 'EAAG-conversions-0123456789'
export const pixel = '123456789012345'

type ServerEvent = {
  event_name?: string
  event_time?: number
  event_id?: string
  event_source_url?: string
  action_source?: string
  user_data?: Record<string, unknown>
  custom_data?: { value?: unknown; currency?: unknown }
}

const isHash = (value: unknown): boolean => typeof value === 'string' && /^[a-f0-9]{64}$/.test(value)
const hashed = ['em', 'ph', 'external_id', 'fn', 'ln', 'ct', 'st', 'zp', 'country', 'ge', 'db']

/** Meta's error for an event: its subcode and title. */
type Mistake = [subcode: number, title: string]

const mistakeOf = (event: ServerEvent, now: number): Mistake | undefined => {
  const { event_name: name, event_time: time = 0, action_source: source, event_source_url: url } = event
  const { user_data: user = {}, custom_data: custom = {} } = event
  if (name === undefined || name === '') return [2_804_001, 'Missing event name']
  if (!Number.isInteger(time)) return [2_804_003, 'Invalid event time']
  const age = now / 1000 - time
  if (age > (source === 'physical_store' ? 62 : 7) * 86_400 || age < -60) return [2_804_003, 'Event Timestamp Too Old']
  if (source === undefined) return [2_804_001, 'Missing action source']
  if (source === 'website' && (user['client_user_agent'] === undefined || url === undefined))
    return [2_804_001, 'Missing user agent or page']
  if (hashed.some((key) => user[key] !== undefined && ![user[key]].flat().every(isHash)))
    return [2_804_001, 'Not hashed']
  if (Object.keys(user).length === 0) return [2_804_050, 'Missing customer information']
  if (name === 'Purchase' && !/^[A-Z]{3}$/.test(String(custom.currency)))
    return [2_804_010, 'Missing Currency for Purchase Event']
  if (name === 'Purchase' && typeof custom.value !== 'number') return [2_804_001, 'Missing value']
  return undefined
}

/**
 * Creates a stand-in for the edge `events` that follows Meta's pages
 * (developers.facebook.com/docs/marketing-api/conversions-api).
 * - "Using the API": 1,000 events, all or none, 7 days, 62 for physical stores.
 * - "Parameters": website events require user agent, action source, and URL.
 * - "Server Event Parameters".
 * - "Customer Information Parameters": hashes of SHA-256.
 * - "Standard Parameters": value and currency of purchases.
 * - "Deduplicate Pixel and Server Events": event name and event ID, 48 hours. For another version, the response is 2635
 * (Marketing API, "Error Codes"). An event named `Refused` is refused by a rule that only Meta can check.
 */
export const createMetaConversions = (clock: () => number = Date.now) => {
  const counted = new Map<string, ServerEvent>()
  const tested: ServerEvent[] = []
  const answer = ({ method, host, path, headers, body }: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
    if (host !== 'graph.facebook.com') return { status: 404 }
    if (headers['authorization'] !== `Bearer ${token}`)
      return errorOf(401, 190, 'Error validating access token: the session is invalid')
    if (!path.startsWith('/v25.0/'))
      return errorOf(
        400,
        2635,
        'You are calling a deprecated version of the Ads API. Please update to the latest version',
      )
    if (method === 'GET' && path === `/v25.0/${pixel}`) return answerOf(200, { name: 'Shop', id: pixel })
    if (method !== 'POST' || path !== `/v25.0/${pixel}/events`)
      return errorOf(400, 100, 'Unsupported post request.', { error_subcode: 33 })
    const { data, test_event_code: code } = body as { data: ServerEvent[]; test_event_code?: string }
    if (data.length === 0 || data.length > 1000) return errorOf(400, 100, 'Too many events')
    const mistake = data.map((event) => mistakeOf(event, clock())).find((found) => found !== undefined)
    if (mistake !== undefined)
      return errorOf(400, 100, 'Invalid parameter', { error_subcode: mistake[0], error_user_title: mistake[1] })
    if (data.some(({ event_name: name }) => name === 'Refused'))
      return errorOf(400, 100, 'Invalid parameter', {
        error_subcode: 2_804_003,
        error_user_msg: `Refused for ${String(data[0]?.user_data?.['client_ip_address'])}`,
      })
    if (code === undefined) for (const event of data) counted.set(`${event.event_name}/${event.event_id}`, event)
    else tested.push(...data)
    return answerOf(200, { events_received: data.length, messages: [], fbtrace_id: 'AbC' })
  }
  return { answer, counted, tested }
}
