import { createHash } from 'node:crypto'
import { type EventOutcome, ExactNumber, type OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, runConnectionTest, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, testDestination } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { googleAnalytics } from './definition.ts'
import { check } from './settings.ts'
import { createAnalytics, json, measurement, origins, type Sent, secret } from './testing-google-analytics.ts'

const settings = { measurement_id: measurement, api_secret: secret }
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString()
const hourAgo = hoursAgo(1)

const event = (messageId: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
  outgoingEvent(
    { messageId },
    {
      action: 'send_event',
      payload: {
        event_name: 'purchase',
        client_id: '555.777',
        event_time: hourAgo,
        transaction_id: messageId,
        value: 25.5,
        currency: 'usd',
        ...changes,
      },
    },
  )

const sender = async (more: Record<string, unknown> = {}) => {
  const analytics = createAnalytics()
  const { asked, rebase } = await startVendor({ origins }, analytics.answer)
  const send = async (...events: OutgoingEvent[]) => {
    const result = await runConnector(googleAnalytics, { ...settings, ...more }, events, { rebase })
    return { ...result, outcomes: result.outcomes as readonly EventOutcome[] }
  }
  return { ...analytics, asked, send }
}

const large = (messageId: string): OutgoingEvent =>
  event(messageId, {
    items: Array.from({ length: 200 }, (_, id) => ({ product_id: String(id), name: 'x'.repeat(700) })),
  })

testDestination(googleAnalytics, {
  origins,
  settings: () => settings,
  secrets: [secret],
  vendor: (request) => createAnalytics().answer(request),
  events: [
    event('order-1', { email: sha256('ada@example.com'), ad_user_data: true, items: [{ sku: 'p1', price: 25.5 }] }),
    event('order-2', { client_id: '1.2', value: undefined, currency: undefined, event_name: 'sign_up', plan: 'pro' }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'www.google-analytics.com',
      path: '/mp/collect',
      query: { measurement_id: 'G-A1B2C3D4E5', api_secret: secret },
      body: {
        client_id: '555.777',
        consent: { ad_user_data: 'GRANTED' },
        user_data: { sha256_email_address: [sha256('ada@example.com')] },
        events: [
          {
            name: 'purchase',
            timestamp_micros: Date.parse(hourAgo) * 1000,
            params: {
              transaction_id: 'order-1',
              value: 25.5,
              currency: 'USD',
              items: [{ item_id: 'p1', price: 25.5 }],
            },
          },
        ],
      },
    },
    {
      method: 'POST',
      host: 'www.google-analytics.com',
      path: '/mp/collect',
      body: { client_id: '1.2', events: [{ name: 'sign_up', params: { plan: 'pro' } }] },
    },
  ],
  connected: 'Google Analytics can be reached. It does not check the API secret: look for events under Realtime.',
  successByStatus: true,
  partialFailure: {
    events: [event('m-1'), event('m-2', { event_time: hoursAgo(73) }), event('m-3', { value: '25,50' })],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'skipped', reason: 'Older than 3 days' },
      { kind: 'rejected', reason: expect.stringContaining('not a number') },
    ],
  },
  oversize: {
    events: [event('m-1'), large('m-2')],
    outcomes: [{ kind: 'delivered' }, { kind: 'rejected', reason: 'The event has more than 130 kB' }],
    requests: 1,
  },
  maxEventAgeMs: 72 * 3_600_000,
})

describe('an event for Google Analytics', () => {
  it('an event for Google Analytics is sent with the other events of its client, 25 in a request', async () => {
    const { send, counted } = await sender()
    const own = Array.from({ length: 30 }, (_, at) => event(`m-${at}`))
    await send(...own, event('other', { client_id: '9.9' }))
    expect(counted.map(({ client_id, events }) => [client_id, events?.length])).toEqual([
      ['555.777', 25],
      ['555.777', 5],
      ['9.9', 1],
    ])
  })

  it('an event for Google Analytics with denied consent is sent with the denial and without the person', async () => {
    const { send, asked } = await sender({ region: 'eu', debug_mode: true })
    await send(event('m-1', { ad_user_data: 'denied', email: sha256('ada@example.com') }))
    expect(asked[0]).toMatchObject({
      host: 'region1.google-analytics.com',
      body: { consent: { ad_user_data: 'DENIED' }, events: [{ params: { debug_mode: 1 } }] },
    })
    expect(asked[0]?.raw.body).not.toContain('user_data":{"sha')
  })

  it('an event for Google Analytics without consent is omitted if the settings require consent', async () => {
    const { send, asked } = await sender({ without_consent: 'leave_out' })
    expect((await send(event('m-1'))).outcomes).toMatchObject([{ kind: 'skipped' }])
    expect(asked).toHaveLength(0)
  })

  it.each([
    ['with a reserved name', { event_name: 'session_start' }, 'reserves'],
    ['with a name of other signs', { event_name: 'Order-Completed' }, 'not an event name'],
    ['without a client', { client_id: ' ' }, 'no client ID'],
    ['with a value and no currency', { currency: '' }, 'needs a currency'],
  ])(
    'an event for Google Analytics %s is refused before it is sent, because Google would not report the problem',
    async (_, changes, reason) => {
      const { send, asked } = await sender()
      expect((await send(event('m-1', changes))).outcomes).toMatchObject([
        { kind: 'rejected', reason: expect.stringContaining(reason) },
      ])
      expect(asked).toHaveLength(0)
    },
  )

  it('an event for Google Analytics has its texts cut to the length that Google accepts', async () => {
    const { send, asked } = await sender()
    await send(event('m-1', { search_term: 'x'.repeat(500), page_location: `https://shop.example/${'y'.repeat(500)}` }))
    const body = asked[0]?.body as Sent
    expect(String(body.events?.[0]?.params?.['search_term'])).toHaveLength(100)
    expect(String(body.events?.[0]?.params?.['page_location'])).toHaveLength(521)
  })

  it.each([
    ['a parameter named problem', { problem: 'The screen is broken' }, '"problem":"The screen is broken"'],
    ['one named reason', { reason: 'size', kind: 'rejected' }, '"reason":"size","kind":"rejected"'],
    [
      'an integer beyond doubles',
      { account: new ExactNumber('12345678901234567890') },
      '"account":12345678901234567890',
    ],
    ['a number beyond every double', { huge: new ExactNumber('1e400') }, '"huge":"1e400"'],
    ['a text that is cut behind a whole character', { note: `${'x'.repeat(99)}🙂🙂` }, `"note":"${'x'.repeat(99)}"`],
  ])('an event for Google Analytics keeps %s unchanged', async (_, changes, wanted) => {
    const { send, asked } = await sender()
    expect((await send(event('m-1', changes))).outcomes).toMatchObject([{ kind: 'delivered' }])
    expect(asked[0]?.raw.body).toContain(wanted)
  })

  it('an event for Google Analytics whose value has too many digits is refused with the reason', async () => {
    const { send } = await sender()
    for (const value of [new ExactNumber('12345678901234567890'), new ExactNumber('1e400'), '9007199254740993'])
      expect((await send(event('m-1', { value }))).outcomes).toMatchObject([
        {
          kind: 'rejected',
          reason: expect.stringContaining(`"${String(value)}" has more digits than an amount can have`),
        },
      ])
  })

  it('an event for Google Analytics after a retried request is also retried, and an event before it is delivered', async () => {
    let requests = 0
    const { rebase } = await startVendor({ origins }, () => ({ status: requests++ === 0 ? 204 : 503 }))
    const events = ['1.1', '2.2', '3.3'].map((client_id) => event(`m-${client_id}`, { client_id }))
    const { outcomes } = await runConnector(googleAnalytics, settings, events, { rebase })
    expect(outcomes).toMatchObject([{ kind: 'delivered' }, { kind: 'retry' }, { kind: 'retry' }])
    expect(requests).toBe(2)
  })

  it.each([
    ['first', 0],
    ['in the middle', 1],
    ['last', 2],
  ])('if the request that is redirected is %s, the events of the other clients are sent', async (_, wrong) => {
    let requests = 0
    const { rebase } = await startVendor({ origins }, () =>
      requests++ === wrong ? { status: 302, headers: { location: 'https://proxy.example/' } } : { status: 204 },
    )
    const events = ['1.1', '2.2', '3.3'].map((client_id) => event(`m-${client_id}`, { client_id }))
    const { outcomes } = await runConnector(googleAnalytics, settings, events, { rebase })
    expect(outcomes).toEqual(
      events.map((_event, at) =>
        at === wrong
          ? { kind: 'retry', misconfigured: true, ofEvent: true, reason: expect.stringContaining('redirects') }
          : { kind: 'delivered' },
      ),
    )
    expect(requests).toBe(3)
  })
})

// The peer checks the validation codes of "Validate events"; events that it counts have passed the checks.
it.each<[string, Sent]>([
  ['VALUE_REQUIRED', { events: [{ name: 'purchase' }] }],
  ['EXCEEDED_MAX_ENTITIES', { client_id: '1.2', events: Array.from({ length: 26 }, () => ({ name: 'purchase' })) }],
  ['VALUE_INVALID', { client_id: 'user-1', events: [{ name: 'purchase' }] }],
  ['VALUE_INVALID', { client_id: '1.2', ip_override: 'x', events: [{ name: 'purchase' }] }],
  ['VALUE_INVALID', { client_id: '1.2', user_properties: { ga_x: { value: 1 } }, events: [{ name: 'purchase' }] }],
  ['VALUE_REQUIRED', { client_id: '1.2', events: [{ name: 'purchase', params: { items: [{ price: 1 }] } }] }],
  ['NAME_RESERVED', { client_id: '1.2', events: [{ name: 'screen_view' }] }],
  ['NAME_INVALID', { client_id: '1.2', events: [{ name: 'Order Completed' }] }],
  ['NAME_RESERVED', { client_id: '1.2', events: [{ name: 'session_start' }] }],
  ['VALUE_INVALID', { client_id: '1.2', events: [{ name: 'purchase', params: { plan: null } }] }],
  ['VALUE_REQUIRED', { client_id: '1.2', events: [{ name: 'purchase', params: { value: 5 } }] }],
  ['VALUE_OUT_OF_BOUNDS', { client_id: '1.2', events: [{ name: 'purchase', timestamp_micros: 1 }] }],
])('the simulated vendor responds with %s, and counts no event of the request', (code, body) => {
  const { answer, counted } = createAnalytics()
  const ask = (path: string) =>
    answer({
      host: 'www.google-analytics.com',
      path,
      query: { measurement_id: measurement, api_secret: secret },
      body,
      raw: { bytes: new Uint8Array(100) },
    })
  expect(JSON.stringify(ask('/debug/mp/collect'))).toContain(code)
  expect(ask('/mp/collect')).toEqual({ status: 204 })
  expect(counted).toHaveLength(0)
})

it("the connection test repeats the message of Google's validation server", async () => {
  const { rebase } = await startVendor({ origins }, () =>
    json({ validationMessages: [{ description: 'No such stream' }] }),
  )
  expect(await runConnectionTest(googleAnalytics, settings, { rebase })).toEqual({
    ok: false,
    message: 'Google Analytics refuses: No such stream',
  })
})

it('a measurement ID begins with G-', () => {
  expect(check({ measurement_id: ' g-a1b2c3d4e5 ' })).toEqual({})
  expect(check({ measurement_id: 'UA-1234-5' })).toHaveProperty('measurement_id')
})
