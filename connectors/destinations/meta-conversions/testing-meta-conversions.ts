import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { answerOf, errorOf } from '../../wire/meta/testing-graph.ts'

/** What the vendor of the test takes. */
export const token = 'EAAG-conversions-0123456789'
export const pixel = '123456789012345'

type ServerEvent = {
  event_name?: string
  event_time?: number
  event_id?: string
  action_source?: string
  user_data?: Record<string, unknown>
  custom_data?: { value?: unknown; currency?: unknown }
}

const isHash = (value: unknown): boolean => typeof value === 'string' && /^[a-f0-9]{64}$/.test(value)
const hashed = ['em', 'ph', 'external_id', 'fn', 'ln', 'ct', 'st', 'zp', 'country', 'ge', 'db']

const mistakeOf = (
  {
    event_name: name,
    event_time: time = 0,
    action_source: source,
    user_data: user = {},
    custom_data: custom = {},
  }: ServerEvent,
  now: number,
): string | undefined => {
  if (name === undefined || name === '') return 'Missing event name'
  const age = now / 1000 - time
  if (age > (source === 'physical_store' ? 62 : 7) * 86_400 || age < -60) return 'Event Timestamp Too Old'
  if (source === undefined) return 'Missing action source'
  if (source === 'website' && user['client_user_agent'] === undefined) return 'Missing user agent'
  if (hashed.some((key) => user[key] !== undefined && ![user[key]].flat().every(isHash))) return 'Not hashed'
  if (Object.keys(user).length === 0) return 'Missing customer information'
  if (name === 'Purchase' && (typeof custom.value !== 'number' || !/^[A-Z]{3}$/.test(String(custom.currency))))
    return 'Missing value or currency'
  return undefined
}

/**
 * The edge `events` as Meta's pages have it (developers.facebook.com/docs/marketing-api/conversions-api): "Using the API" (1,000 events, all
 * or none, 7 days, 62 for physical stores), "Server Event Parameters" (action_source, user agent of websites), "Customer Information
 * Parameters" (hashes of SHA-256), and "Deduplicate Pixel and Server Events" (event name and event ID, 48 hours). An event named `Refused` is
 * refused for what only Meta knows.
 */
export const createMetaConversions = (clock: () => number = Date.now) => {
  const counted = new Map<string, ServerEvent>()
  const tested: ServerEvent[] = []
  const answer = ({ method, host, path, headers, body }: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
    if (host !== 'graph.facebook.com') return { status: 404 }
    if (headers['authorization'] !== `Bearer ${token}`)
      return errorOf(401, 190, 'Error validating access token: the session is invalid')
    if (method === 'GET' && path === `/v25.0/${pixel}`) return answerOf(200, { name: 'Shop', id: pixel })
    if (method !== 'POST' || path !== `/v25.0/${pixel}/events`)
      return errorOf(400, 100, 'Unsupported post request.', { error_subcode: 33 })
    const { data, test_event_code: code } = body as { data: ServerEvent[]; test_event_code?: string }
    if (data.length > 1000) return errorOf(400, 100, 'Too many events')
    const mistake = data.map((event) => mistakeOf(event, clock())).find((text) => text !== undefined)
    if (mistake !== undefined || data.some(({ event_name: name }) => name === 'Refused'))
      return errorOf(400, 100, 'Invalid parameter', {
        error_subcode: 2_804_003,
        error_user_msg: mistake ?? `Refused for ${String(data[0]?.user_data?.['client_ip_address'])}`,
      })
    if (code === undefined) for (const event of data) counted.set(`${event.event_name}/${event.event_id}`, event)
    else tested.push(...data)
    return answerOf(200, { events_received: data.length, messages: [], fbtrace_id: 'AbC' })
  }
  return { answer, counted, tested }
}
