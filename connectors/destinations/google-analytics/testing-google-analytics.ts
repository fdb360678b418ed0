import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'

/** What the vendor of the test takes, and where it is. */
export const origins = ['https://www.google-analytics.com', 'https://region1.google-analytics.com']
export const secret = 'measurement-secret-0123456789'
export const measurement = 'G-A1B2C3D4E5'

/** What it is sent. */
export type Sent = { client_id?: string; events?: { name: string; params?: Record<string, unknown> }[] }

/** A JSON answer. */
export const json = (body: unknown): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/**
 * The Measurement Protocol as Google's pages have it (developers.google.com/analytics/devguides/collection/protocol/ga4): "Send Measurement
 * Protocol events" (25 events, 25 parameters, 130 kB, names, 72 hours) and "Validate events" (always 2xx, the validation server tells). What
 * breaks a rule is dropped without a word.
 */
export const createAnalytics = () => {
  const counted: Sent[] = []
  const mistakeOf = ({ client_id: client, events = [] }: Sent, bytes: number): string | undefined => {
    if (client === undefined || client === '') return 'client_id is required'
    if (events.length === 0 || events.length > 25 || bytes > 130_000) return 'Too many events'
    const bad = events.find(
      ({ name, params = {} }) =>
        !/^[A-Za-z]\w{0,39}$/.test(name) ||
        Object.keys(params).length > 25 ||
        Object.entries(params).some(
          ([key, value]) => key !== 'items' && (value === null || typeof value === 'object' || key.length > 40),
        ),
    )
    return bad === undefined ? undefined : `Event ${bad.name} is invalid`
  }
  const answer = ({
    host,
    path,
    query,
    body,
    raw,
  }: Pick<VendorRequest, 'host' | 'path' | 'query' | 'body'> & { raw: { bytes: Uint8Array } }): PeerAnswer => {
    if (!origins.includes(`https://${host}`)) return { status: 404 }
    const mistake = mistakeOf(body as Sent, raw.bytes.length)
    if (path === '/debug/mp/collect')
      return json({
        validationMessages: mistake === undefined ? [] : [{ description: mistake, validationCode: 'VALUE_INVALID' }],
      })
    if (path !== '/mp/collect') return { status: 404 }
    if (mistake === undefined && query['api_secret'] === secret && query['measurement_id'] === measurement)
      counted.push(body as Sent)
    return { status: 204 }
  }
  return { answer, counted }
}
