import { createHash } from 'node:crypto'
import { ConfigurationError, type EventOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, testDestination } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { tiktokEvents } from './definition.ts'
import { check } from './settings.ts'
import { answerOf, createTikTok, pixel, token } from './testing-tiktok.ts'

const origins = ['https://business-api.tiktok.com']
const settings = { pixel_code: pixel, access_token: token }
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const dayMs = 24 * 60 * 60_000
const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()
const dayAgo = daysAgo(1)

const conversion = (event_id: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
  outgoingEvent(
    { messageId: event_id },
    {
      action: 'send_conversion',
      payload: {
        event_name: 'Purchase',
        event_id,
        event_time: dayAgo,
        value: 25.5,
        currency: 'eur',
        ip: '192.0.2.71',
        email: sha256('ada@example.com'),
        ...changes,
      },
    },
  )

const sender = async (more: Record<string, unknown> = {}) => {
  const tiktok = createTikTok()
  const { asked, rebase } = await startVendor({ origins }, tiktok.answer)
  const send = async (...events: OutgoingEvent[]) => {
    const result = await runConnector(tiktokEvents, { ...settings, ...more }, events, { rebase })
    return { ...result, outcomes: result.outcomes as readonly EventOutcome[] }
  }
  return { ...tiktok, asked, send }
}

testDestination(tiktokEvents, {
  origins,
  settings: () => settings,
  secrets: [token, '192.0.2.71'],
  vendor: (request) => createTikTok().answer(request),
  events: [
    conversion('order-1', { contents: [{ product_id: 'p1', name: 'Shirt', price: 12.75, quantity: 2 }] }),
    conversion('m-2', { event_name: 'Lead', value: undefined, currency: undefined }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'business-api.tiktok.com',
      path: '/open_api/v1.3/event/track/',
      body: {
        event_source: 'web',
        event_source_id: pixel,
        data: [
          {
            event: 'Purchase',
            event_id: 'order-1',
            event_time: Math.floor(Date.parse(dayAgo) / 1000),
            user: { email: sha256('ada@example.com'), ip: '192.0.2.71' },
            properties: {
              value: 25.5,
              currency: 'EUR',
              contents: [{ content_id: 'p1', content_name: 'Shirt', price: 12.75, quantity: 2 }],
            },
          },
          { event: 'Lead', event_id: 'm-2' },
        ],
      },
    },
  ],
  connected: 'TikTok accepts this access token.',
  badCredentials: {
    settings: () => ({ ...settings, access_token: 'another-token' }),
    message: 'TikTok refuses the access token: Access token is incorrect or has been revoked',
  },
  rateLimit: { answer: answerOf(40_100, 'Too many requests'), retryAfterMs: 60_000 },
  partialFailure: {
    events: [
      conversion('m-1'),
      conversion('m-2', { event_time: daysAgo(29) }),
      conversion('m-3', { currency: '' }),
      conversion('m-4', { consent: 'denied' }),
    ],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'skipped', reason: 'Older than 28 days' },
      { kind: 'rejected', reason: 'A value needs a currency' },
      { kind: 'skipped', reason: expect.stringContaining('consent') },
    ],
  },
  maxEventAgeMs: 28 * dayMs,
})

describe('a conversion for TikTok', () => {
  it('a conversion for TikTok that is sent again counts once, and does not count with a test event code', async () => {
    const { send, counted } = await sender()
    await send(conversion('order-1'))
    await send(conversion('order-1'))
    expect([...counted.keys()]).toEqual(['Purchase/order-1'])
    const testing = await sender({ test_event_code: 'TEST123' })
    await testing.send(conversion('order-1'))
    expect([testing.counted.size, testing.tested.length]).toEqual([0, 1])
  })

  it('a conversion for TikTok has the click ID of the page, but no click ID of another platform', async () => {
    const { send, asked } = await sender({ limited_data_use: true })
    const cookie = 'fb.1.1554763741205.AbCdEf'
    await send(
      conversion('m-1', { page_url: 'https://shop.example/?ttclid=E.C.P.abc' }),
      conversion('m-2', { ttclid: cookie }),
    )
    expect(asked[0]?.body).toMatchObject({
      data: [
        { user: { ttclid: 'E.C.P.abc' }, limited_data_use: true },
        { user: expect.not.objectContaining({ ttclid: cookie }) },
      ],
    })
  })

  it('a conversion for TikTok of a purchase without a value is accepted, because TikTok only recommends one', async () => {
    const { send, counted } = await sender()
    expect((await send(conversion('m-1', { value: undefined, currency: undefined }))).outcomes).toEqual([
      { kind: 'delivered' },
    ])
    expect(counted.size).toBe(1)
  })

  it.each([
    ['without anything to match', { email: undefined }, 'match a person'],
    ['with a value as text with a comma', { value: '25,50' }, 'not a number'],
    ['in the future', { event_time: daysAgo(-1) }, 'future'],
  ])('a conversion for TikTok %s is refused before it is sent', async (_, changes, reason) => {
    const { send, asked } = await sender()
    expect((await send(conversion('m-1', changes))).outcomes).toMatchObject([
      { kind: 'rejected', reason: expect.stringContaining(reason) },
    ])
    expect(asked).toHaveLength(0)
  })

  it('a conversion that only TikTok refuses is found by halving the request, and its reason contains no IP address', async () => {
    const { rebase } = await startVendor({ origins }, createTikTok().answer)
    const run = (...events: OutgoingEvent[]) => runConnector(tiktokEvents, settings, events, { rebase })
    const refused = conversion('m-2', { event_name: 'Refused' })
    expect((await run(conversion('m-1'), refused)).outcomes).toMatchObject({ kind: 'split' })
    expect((await run(refused)).outcomes).toEqual([
      { kind: 'rejected', reason: 'event is invalid, sent by [redacted]' },
    ])
  })

  it('a conversion for the pixel of another TikTok account is held', async () => {
    const { send } = await sender({ pixel_code: 'ANOTHERPIXEL' })
    await expect(send(conversion('m-1'))).rejects.toBeInstanceOf(ConfigurationError)
  })
})

// "Appendix, Return codes" (business-api.tiktok.com/portal/docs?id=1737172488964097); the status is always 200.
describe('a return code that TikTok documents', () => {
  const endOf = async (answer: PeerAnswer): Promise<unknown> => {
    const { rebase } = await startVendor({ origins }, () => answer)
    return await runConnector(tiktokEvents, settings, [conversion('m-1')], { rebase }).then(
      ({ outcomes }) => outcomes,
      (error: unknown) => error,
    )
  }
  it.each([
    ['40001, no permission', 40_001, 'No permission to operate'],
    ['40102, a token that expired', 40_102, 'Access token is expired'],
    ['40104, no token', 40_104, 'Access token is empty'],
    ['40105, another token', 40_105, 'Access token is incorrect or has been revoked'],
  ])('the TikTok code %s, holds conversions with a readable message', async (_, code, words) => {
    const message = `TikTok refuses the access token: ${words}`
    expect(await endOf(answerOf(code, words))).toMatchObject({ name: 'ConfigurationError', message })
  })
  it.each([
    ['40100, too many requests', 40_100],
    ['40133, too many at a time', 40_133],
    ['50000, a fault', 50_000],
    ['51021, too many requests', 51_021],
  ])('the TikTok code %s, is retried after a minute', async (_, code) => {
    expect(await endOf(answerOf(code, 'Later'))).toMatchObject([
      { kind: 'retry', reason: 'Later', retryAfterMs: 60_000 },
    ])
  })
  it('the TikTok code 40002 (an invalid parameter) rejects the conversion, which is not retried', async () => {
    const reason = 'event_time is invalid'
    expect(await endOf(answerOf(40_002, reason))).toEqual([{ kind: 'rejected', reason }])
  })
  it('a response without a TikTok code is retried, because its outcome is unknown', async () => {
    expect(await endOf({ status: 200, body: '{}' })).toMatchObject([{ kind: 'retry' }])
  })
})

it('a pixel ID of TikTok has letters and digits', () => {
  expect(check({ pixel_code: pixel })).toEqual({})
  expect(check({ pixel_code: 'my pixel' })).toHaveProperty('pixel_code')
})
