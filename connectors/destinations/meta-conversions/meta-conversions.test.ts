import { createHash } from 'node:crypto'
import { compileMappings, type EventOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectionTest, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, testDestination } from '@tributary/connector-kit/testing-destination'
import type { PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../../wire/meta/testing-graph.ts'
import { metaConversions } from './definition.ts'
import { check } from './settings.ts'
import { createMetaConversions, pixel, token } from './testing-meta-conversions.ts'

const origins = ['https://graph.facebook.com']
const settings = { pixel_id: pixel, access_token: token }
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const dayMs = 24 * 60 * 60_000
const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()

const base = {
  event_name: 'Purchase',
  event_time: minuteAgo,
  value: '25.50',
  currency: 'usd',
  client_user_agent: 'Mozilla/5.0 (X11)',
  client_ip_address: '192.0.2.71',
  event_source_url: 'https://shop.example/thanks',
  em: sha256('ada@example.com'),
}
const conversion = (event_id: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
  outgoingEvent({ messageId: event_id }, { action: 'send_conversion', payload: { ...base, event_id, ...changes } })

const sender = async (more: Record<string, unknown> = {}) => {
  const meta = createMetaConversions()
  const { asked, rebase } = await startVendor({ origins }, meta.answer)
  const send = async (...events: OutgoingEvent[]) => {
    const result = await runConnector(metaConversions, { ...settings, ...more }, events, { rebase })
    return { ...result, outcomes: result.outcomes as readonly EventOutcome[] }
  }
  return { ...meta, asked, send }
}

testDestination(metaConversions, {
  origins,
  settings: () => settings,
  secrets: [token, '192.0.2.71', 'Mozilla/5.0 (X11)'],
  vendor: (request) => createMetaConversions().answer(request),
  events: [
    conversion('order-1', { contents: [{ product_id: 'p1', quantity: 2, price: 12.75 }], order_id: '1001' }),
    conversion('m-2', { event_name: 'Lead', value: undefined, currency: undefined, external_id: sha256('u1') }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'graph.facebook.com',
      path: `/v25.0/${pixel}/events`,
      body: {
        data: [
          {
            event_name: 'Purchase',
            event_time: Math.floor(Date.parse(minuteAgo) / 1000),
            event_id: 'order-1',
            action_source: 'website',
            user_data: { em: [sha256('ada@example.com')], client_user_agent: 'Mozilla/5.0 (X11)' },
            custom_data: {
              value: 25.5,
              currency: 'USD',
              order_id: '1001',
              contents: [{ id: 'p1', quantity: 2, item_price: 12.75 }],
            },
          },
          { event_name: 'Lead', event_id: 'm-2', user_data: { external_id: [sha256('u1')] } },
        ],
      },
    },
  ],
  connected: 'Connected to the pixel Shop.',
  badCredentials: {
    settings: () => ({ ...settings, access_token: 'EAAG-another' }),
    message: 'Meta refuses the access token: Error validating access token',
  },
  rateLimit: {
    answer: errorOf(400, 613, 'Calls to this api have exceeded the rate limit.'),
    retryAfterMs: 15 * 60_000,
  },
  partialFailure: {
    events: [
      conversion('m-1'),
      conversion('m-2', { event_time: daysAgo(8) }),
      conversion('m-3', { value: '25,50' }),
      conversion('m-4', { consent: false }),
    ],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'skipped', reason: 'Older than 7 days' },
      { kind: 'rejected', reason: expect.stringContaining('"25,50" is not a number') },
      { kind: 'skipped', reason: expect.stringContaining('consent') },
    ],
  },
  maxEventAgeMs: 62 * dayMs,
})

describe('a conversion for Meta', () => {
  it('a conversion for Meta that is sent again, or by a second server, is counted once', async () => {
    const { send, counted } = await sender()
    await send(conversion('order-1'))
    await send(conversion('order-1'), conversion('order-1'))
    expect([...counted.keys()]).toEqual(['Purchase/order-1'])
  })

  it('a conversion for Meta from a physical store is accepted for 62 days', async () => {
    const { send } = await sender()
    const store = { action_source: 'physical_store', event_time: daysAgo(30) }
    const { outcomes } = await send(conversion('m-1', store), conversion('m-2', { ...store, event_time: daysAgo(63) }))
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'skipped', reason: 'Older than 62 days' }])
  })

  it('a conversion for Meta with a test event code is not counted', async () => {
    const { send, counted, tested } = await sender({ test_event_code: 'TEST123' })
    await send(conversion('order-1'))
    expect([counted.size, tested.length]).toEqual([0, 1])
  })

  it('a conversion for Meta without consent is omitted if the settings require consent, without a request', async () => {
    const { send, asked } = await sender({ without_consent: 'leave_out' })
    const { outcomes } = await send(conversion('m-1'))
    expect(outcomes).toMatchObject([{ kind: 'skipped' }])
    expect(asked).toHaveLength(0)
  })

  it.each([
    ['without the user agent of a website', { client_user_agent: undefined }, 'user agent'],
    ['without the page of a website', { event_source_url: undefined }, 'URL of the page'],
    ['without anything to match', { em: undefined, client_ip_address: undefined }, 'match a person'],
    ['in the future', { event_time: daysAgo(-1) }, 'future'],
    ['of an unknown source', { action_source: 'radio' }, 'no action source "radio"'],
    ['of a purchase without currency', { currency: '' }, 'value and a currency'],
    ['with an unknown currency', { currency: 'XYZ' }, 'not a currency code'],
    ['with a negative value', { value: -1 }, 'negative'],
  ])('a conversion for Meta %s is refused before it is sent', async (_, changes, reason) => {
    const { send, asked } = await sender()
    expect((await send(conversion('m-1', changes))).outcomes).toMatchObject([
      { kind: 'rejected', reason: expect.stringContaining(reason) },
    ])
    expect(asked).toHaveLength(0)
  })

  it('a conversion that only Meta refuses is found by halving the request, and its reason contains no IP address', async () => {
    const meta = createMetaConversions()
    const { rebase } = await startVendor({ origins }, meta.answer)
    const run = (...events: OutgoingEvent[]) => runConnector(metaConversions, settings, events, { rebase })
    const refused = conversion('m-2', { event_name: 'Refused' })
    expect((await run(conversion('m-1'), refused)).outcomes).toMatchObject({ kind: 'split' })
    const alone = await run(refused)
    expect(alone.outcomes).toEqual([{ kind: 'rejected', reason: 'Refused for [redacted]' }])
    expect(JSON.stringify(alone)).not.toContain('192.0.2.71')
  })

  it('a conversion for Meta contains the click ID of the page, but no click ID of another platform', async () => {
    const { send, asked } = await sender()
    await send(
      conversion('m-1', { event_source_url: 'https://shop.example/?fbclid=IwAR0123' }),
      conversion('m-2', { fbc: 'E.C.P.0123' }),
    )
    expect(asked[0]?.body).toMatchObject({
      data: [
        { user_data: { fbc: `fb.1.${Date.parse(minuteAgo)}.IwAR0123` } },
        { user_data: expect.not.objectContaining({ fbc: expect.anything() }) },
      ],
    })
  })

  it('the connection test for Meta warns before the used API version ends', async () => {
    const meta = createMetaConversions()
    const { rebase } = await startVendor({ origins }, meta.answer)
    const tested = await runConnectionTest(metaConversions, settings, { rebase, now: Date.UTC(2028, 5, 1) })
    expect(tested).toEqual({ ok: true, message: expect.stringContaining('ends v25.0 of its API on July 29, 2028') })
  })

  it('a conversion for a new Meta destination has its personal data hashed by the mapping', () => {
    const map = compileMappings(metaConversions, undefined, { workspaceId: 'w', destinationId: 'd' })
    const event: PipelineEvent = {
      eventId: '0-00000000000000000001-00000',
      messageId: 'm-1',
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      properties: { revenue: 5, currency: 'USD', email: ' Ada@Example.COM ' },
      context: { traits: { phone: sha256('16505551212').toUpperCase(), firstName: 'Ada' }, userAgent: 'M' },
      test: false,
      receivedAt: minuteAgo,
      timestamp: minuteAgo,
    }
    const mapped = map(event, 's')
    expect(mapped).toMatchObject({
      payload: {
        event_name: 'Purchase',
        event_id: 'm-1',
        em: sha256('ada@example.com'),
        ph: sha256('16505551212'),
        fn: sha256('ada'),
        external_id: sha256('u1'),
      },
    })
    expect(JSON.stringify(mapped)).not.toMatch(/ada@example/i)
  })
})

/** Returns what happens to a conversion after this response of Meta: its outcome, or the error that holds it. */
const endOf = async (answer: PeerAnswer): Promise<unknown> => {
  const { rebase } = await startVendor({ origins }, () => answer)
  return await runConnector(metaConversions, settings, [conversion('m-1')], { rebase }).then(
    ({ outcomes }) => outcomes,
    (error: unknown) => error,
  )
}
/** Returns the header in which Meta says after how many minutes it accepts calls again. */
const usage = (minutes: number): string => JSON.stringify({ 1: [{ estimated_time_to_regain_access: minutes }] })

// "Error Handling" and "Rate Limits" of the Graph API (developers.facebook.com/docs/graph-api), "Error Codes" of the Marketing API.
describe('an error that Meta documents', () => {
  const quarter = 15 * 60_000
  it.each([
    ['1, unknown', errorOf(500, 1, 'An unknown error occurred'), undefined],
    ['2, service', errorOf(503, 2, 'Service temporarily unavailable'), undefined],
    ['any that is transient', errorOf(400, 100, 'Try again', { is_transient: true }), undefined],
    ['5000, unknown, as a fault of Meta', errorOf(500, 5000, 'Unknown Error Code'), undefined],
    ['4, too many calls of the app', errorOf(400, 4, 'Application request limit reached'), quarter],
    ['17, too many calls of the user', errorOf(400, 17, 'User request limit reached'), quarter],
    ['341, the limit of the app', errorOf(400, 341, 'Application limit reached'), quarter],
    ['368, blocked for a while', errorOf(400, 368, 'Temporarily blocked for policies violations'), quarter],
    [
      '80004, with the minutes that it names',
      errorOf(400, 80_004, 'Too many calls to this ad-account', {}, { 'x-business-use-case-usage': usage(7) }),
      7 * 60_000,
    ],
  ])('the Meta error %s is retried', async (_, answer, retryAfterMs) => {
    expect(await endOf(answer)).toMatchObject([
      { kind: 'retry', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    ])
  })

  it.each([
    [
      '190, the token',
      errorOf(401, 190, 'Token expired', { error_subcode: 463 }),
      'refuses the access token: Token expired',
    ],
    ['102, the session', errorOf(400, 102, 'Session expired'), 'refuses the access token: Session expired'],
    ['3, capability', errorOf(400, 3, 'No capability'), 'does not allow it: No capability'],
    ['10, permission', errorOf(403, 10, 'Permission denied'), 'does not allow it: Permission denied'],
    ['200, permission', errorOf(403, 200, 'Permissions error'), 'does not allow it: Permissions error'],
    ['294, ads_management', errorOf(400, 294, 'Needs ads_management'), 'does not allow it: Needs ads_management'],
    [
      '2635, a version that has ended',
      errorOf(400, 2635, 'Deprecated version'),
      'does not allow it: Deprecated version',
    ],
    [
      '100.33, the pixel',
      errorOf(400, 100, 'No such object', { error_subcode: 33 }),
      'does not find the pixel: No such object',
    ],
  ])('the Meta error %s holds conversions with a readable message', async (_, answer, words) => {
    expect(await endOf(answer)).toMatchObject({ name: 'ConfigurationError', message: `Meta ${words}` })
  })

  it.each([
    [
      '100.2804003, too old',
      { error_subcode: 2_804_003, error_user_title: 'Event Timestamp Too Old' },
      'Event Timestamp Too Old',
    ],
    ['100.2804010, no currency', { error_subcode: 2_804_010, error_user_msg: 'Enter a currency' }, 'Enter a currency'],
    ['100, another parameter', {}, 'Invalid parameter'],
  ])('the Meta error %s rejects the conversion, which is not sent again', async (_, more, reason) => {
    expect(await endOf(errorOf(400, 100, 'Invalid parameter', more))).toEqual([{ kind: 'rejected', reason }])
  })
})

it('a pixel ID of Meta is a number', () => {
  expect(check({ pixel_id: ' 123456789 ' })).toEqual({})
  expect(check({ pixel_id: 'my pixel' })).toHaveProperty('pixel_id')
})
