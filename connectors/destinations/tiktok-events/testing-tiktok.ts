import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'

/** The credentials of the simulated vendor. */
export const token = 'tiktok-access-token-0123456789'
export const pixel = 'C0123ABCD4567EFGH890'
export const offlineEventSet = '7654321098765432109'
export const crmEventSet = '7654321098765432110'
export const app = '7654321098765432108'

/** The ID of each event source. */
const sourceIds: ReadonlyMap<string | undefined, string> = new Map([
  ['web', pixel],
  ['app', app],
  ['offline', offlineEventSet],
  ['crm', crmEventSet],
])

type TrackedEvent = {
  event?: string
  event_time?: number
  event_id?: string
  user?: Record<string, unknown>
  properties?: { value?: unknown; currency?: unknown }
  app?: Record<string, unknown>
}

/** Returns a response of the API for Business, whose status is always 200. */
export const answerOf = (code: number, message: string): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code, message, request_id: '2026112500', data: {} }),
})

/** Whether a value is one hash or a list of hashes. */
const isHashed = (value: unknown): boolean =>
  (Array.isArray(value) ? value : [value]).every((each) => typeof each === 'string' && /^[a-f0-9]{64}$/.test(each))

/** Segment, `tiktok-app-events`: `app.app_id` and `att_status` are required. */
const mistakeOfApp = ({ app: { app_id: id } = {}, user = {} }: TrackedEvent): string | undefined => {
  if (typeof id !== 'string' || id === '') return 'app.app_id is required'
  const statuses = ['AUTHORIZED', 'DENIED', 'NOT_DETERMINED', 'RESTRICTED', 'NOT_APPLICABLE']
  if (!statuses.includes(String(user['att_status']))) return 'att_status is required'
  return ['idfa', 'gaid'].some((name) => user[name] !== undefined && !isHashed(user[name]))
    ? 'user is not hashed'
    : undefined
}

const mistakeOf = ({ event, event_time: time = 0, user = {}, properties = {} }: TrackedEvent): string | undefined => {
  if (event === undefined || event === '' || time === 0) return 'event and event_time are required'
  if (!Number.isInteger(time)) return 'event_time is not a timestamp in seconds'
  if (event === 'Refused') return `event is invalid, sent by ${String(user['ip'])}`
  const age = Date.now() / 1000 - time
  if (age > 28 * 86_400 || age < -60) return 'event_time is invalid'
  if (Object.keys(user).length === 0) return 'user is required'
  const hashed = ['email', 'phone', 'external_id', 'first_name', 'last_name', 'zip_code']
  if (hashed.some((name) => user[name] !== undefined && !isHashed(user[name]))) return 'user is not hashed'
  if (properties.value !== undefined && typeof properties.value !== 'number') return 'value is invalid'
  if (properties.value !== undefined && !/^[A-Z]{3}$/.test(String(properties.currency))) return 'currency is invalid'
  return undefined
}

/**
 * Creates a stand-in for the Events API that follows TikTok's pages (business-api.tiktok.com/portal/docs). "Report web
 * events" (id=1771100865818625): 1,000 events, all or none, hashes of SHA-256, currency of ISO 4217. "Event
 * deduplication": event and event_id. "Standard Events and Parameters"
 * (ads.tiktok.com/help/article/standard-events-parameters): value and currency of purchases are recommended, none is
 * required. "Return codes" (id=1737172488964097): status 200, 40002 for parameters, 40105 for the token.
 */
export const createTikTok = () => {
  const counted = new Map<string, TrackedEvent>()
  const tested: TrackedEvent[] = []
  const answer = ({ method, host, path, headers, body }: Omit<VendorRequest, 'query' | 'raw'>): PeerAnswer => {
    if (host !== 'business-api.tiktok.com' || method !== 'POST' || path !== '/open_api/v1.3/event/track/')
      return { status: 404 }
    if (headers['access-token'] !== token) return answerOf(40_105, 'Access token is incorrect or has been revoked')
    const { event_source, event_source_id, data, test_event_code } = body as {
      event_source?: string
      event_source_id?: string
      test_event_code?: string
      data: TrackedEvent[]
    }
    if (event_source_id === undefined || event_source_id !== sourceIds.get(event_source))
      return answerOf(40_001, 'No permission of the pixel')
    if (data.length === 0 || data.length > 1000) return answerOf(40_002, 'data: length must be between 1 and 1000')
    const ofApp = event_source === 'app' ? data.map(mistakeOfApp) : []
    const mistake = [...ofApp, ...data.map(mistakeOf)].find((text) => text !== undefined)
    if (mistake !== undefined) return answerOf(40_002, mistake)
    if (test_event_code !== undefined) tested.push(...data)
    else for (const each of data) counted.set(`${each.event}/${each.event_id}`, each)
    return answerOf(0, 'OK')
  }
  return { answer, counted, tested }
}
