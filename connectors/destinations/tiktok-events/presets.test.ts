import { createHash } from 'node:crypto'
import {
  compileMappings,
  compilePresence,
  identifiersIn,
  mappingProblems,
  type OutgoingEvent,
  presetMappings,
  signalMappings,
} from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import type { PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { tiktokEvents } from './definition.ts'
import { check } from './settings.ts'
import { conversions } from './signals.ts'
import { createTikTok, crmEventSet, offlineEventSet, pixel, token } from './testing-tiktok.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const settings = { pixel_code: pixel, access_token: token }
const eventSets = { offline_event_set_id: offlineEventSet, crm_event_set_id: crmEventSet }

type Body = { event_source: string; event_source_id: string; test_event_code?: string; data: Record<string, unknown>[] }

const send = async (events: readonly OutgoingEvent[], more: Record<string, unknown> = {}) => {
  const { asked, outcomes } = await sendTo(
    {
      definition: tiktokEvents,
      origin: 'https://business-api.tiktok.com',
      settings: { ...settings, ...more },
      answer: createTikTok().answer,
    },
    events,
  )
  return { bodies: asked.map(({ body }) => body as Body), outcomes }
}
const sendPreset = async (event: PipelineEvent) => {
  const { bodies, outcomes } = await send([byPresets(tiktokEvents, event)])
  return { sent: bodies[0]?.data[0], outcome: outcomes[0] }
}

const page = { url: 'https://shop.example/thanks', referrer: 'https://shop.example/' }
const context = {
  ip: '192.0.2.71',
  userAgent: 'Mozilla/5.0 (X11)',
  locale: 'de-DE',
  page,
  clickIds: { ttclid: 'E.C.P.abc' },
  browserIds: { ttp: '94e2a4j9-h3ss-k2h5-98cc-c84n745mk098' },
  traits: {
    email: 'Alice@Example.com',
    phone: '+1 650 555 1234',
    first_name: 'Alice',
    lastName: 'Miller',
    address: { city: 'New York', state: 'NY', postal_code: '94035', country: 'US' },
  },
}
const properties = {
  order_id: 'o-1',
  revenue: 25,
  currency: 'EUR',
  query: 'red shoes',
  description: 'Spring sale',
  num_items: 3,
  shop_id: 'shop-1',
  predicted_ltv: 120.5,
  delivery_category: 'home_delivery',
  products: [{ product_id: 'p1', name: 'Shoe', price: 10, quantity: 2, category: 'Shoes', brand: 'B' }],
}
const user = {
  // The normalized texts are the examples of "Event payload" (business-api.tiktok.com/portal/docs?id=1771100779668482).
  email: sha256('alice@example.com'),
  phone: sha256('+16505551234'),
  external_id: sha256('u1'),
  first_name: sha256('alice'),
  last_name: sha256('miller'),
  zip_code: sha256('94035'),
  // Segment (`formatAddress`) and PostHog (tiktok.template.ts) send places unhashed, in lower case, without spaces.
  city: 'newyork',
  state: 'ny',
  country: 'us',
  ttclid: 'E.C.P.abc',
  ttp: '94e2a4j9-h3ss-k2h5-98cc-c84n745mk098',
  ip: '192.0.2.71',
  user_agent: 'Mozilla/5.0 (X11)',
  locale: 'de-DE',
}

/** "About supported standard events" (ads.tiktok.com/help/article/supported-standard-events), and Segment's presets. */
const names: readonly [event: string, name: string][] = [
  ['Order Completed', 'Purchase'],
  ['Product Added', 'AddToCart'],
  ['Checkout Started', 'InitiateCheckout'],
  ['Payment Info Entered', 'AddPaymentInfo'],
  ['Product Viewed', 'ViewContent'],
  ['Products Searched', 'Search'],
  ['Product Added to Wishlist', 'AddToWishlist'],
  ['Signed Up', 'CompleteRegistration'],
  ['Lead Created', 'Lead'],
  ['Subscription Created', 'Subscribe'],
  ['Trial Started', 'StartTrial'],
  ['Contact Form Submitted', 'Contact'],
  ['Callback Started', 'Contact'],
  ['Form Submitted', 'Lead'],
  ['Lead Generated', 'Lead'],
  ['Product Clicked', 'ClickButton'],
  ['Order Placed', 'PlaceAnOrder'],
  ['Download Link Clicked', 'Download'],
  ['Appointment Scheduled', 'Schedule'],
  ['Store Location Searched', 'FindLocation'],
  ['Product Customized', 'CustomizeProduct'],
  ['Application Submitted', 'SubmitApplication'],
]

describe('the presets of TikTok', () => {
  it.each(names)('%s arrives as %s with every mapped field', async (event, name) => {
    const { sent, outcome } = await sendPreset(receivedEvent(event, { properties, context }))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent).toMatchObject({
      event: name,
      event_id: 'm-1',
      page,
      properties: {
        value: 25,
        currency: 'EUR',
        order_id: 'o-1',
        query: 'red shoes',
        description: 'Spring sale',
        num_items: 3,
        shop_id: 'shop-1',
        predicted_ltv: 120.5,
        delivery_category: 'home_delivery',
        contents: [{ content_id: 'p1', content_name: 'Shoe', content_category: 'Shoes', brand: 'B' }],
      },
    })
    expect(sent?.['user']).toEqual(user)
  })

  it('a page call arrives as Pageview, without data of an order', async () => {
    const { sent } = await sendPreset(receivedEvent('Home', { type: 'page', properties: { value: 5 }, context }))
    expect(sent).toMatchObject({ event: 'Pageview', page, user })
    expect(sent).not.toHaveProperty('properties')
  })

  it('there is a case for each preset, and the presets can be saved', () => {
    const mappings = presetMappings(tiktokEvents)
    const cases = names.map(([event]) => event)
    const others = ['', 'Application Installed', 'Application Opened', 'Signed In']
    const isOn = ({ enabled }: { enabled?: boolean | undefined }): boolean => enabled !== false
    const named = (each: typeof mappings): string[] => each.map(({ event_name }) => event_name).toSorted()
    expect(named(mappings.filter(isOn))).toEqual([...others, ...cases].toSorted())
    // RudderStack has this mapping as well (tiktok_ads, config.js).
    expect(named(mappings.filter((each) => !isOn(each)))).toEqual(['Checkout Step Completed'])
    expect(mappingProblems(tiktokEvents, mappings)).toEqual({})
  })
})

const conversion = (event_id: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
  outgoingEvent(
    { messageId: event_id },
    {
      action: 'send_conversion',
      payload: {
        event_name: 'Purchase',
        event_id,
        event_time: new Date(Date.now() - 60_000).toISOString(),
        value: 25.5,
        currency: 'EUR',
        email: sha256('ada@example.com'),
        ...changes,
      },
    },
  )

// Segment sends `event_source` with the ID of its event set, and `lead` for a CRM (action-destinations,
// `tiktok-conversions/reportWebEvent/utils.ts`, `tiktok-offline-conversions`). TikTok's page was not seen.
describe('an event of another source', () => {
  it.each(['offline', 'in_store', 'physical_store', ' Offline '])(
    'of a store (%s) is sent with the offline event set',
    async (event_source) => {
      const { bodies, outcomes } = await send([conversion('o-1', { event_source })], eventSets)
      expect(outcomes).toEqual([{ kind: 'delivered' }])
      expect(bodies).toMatchObject([{ event_source: 'offline', event_source_id: offlineEventSet }])
    },
  )

  it('of a CRM is sent with the CRM event set and its lead', async () => {
    const lead = { lead_id: '7123456789', lead_event_source: 'HubSpot' }
    const { bodies } = await send([conversion('l-1', { event_source: 'crm', email: undefined, ...lead })], eventSets)
    expect(bodies).toMatchObject([
      { event_source: 'crm', event_source_id: crmEventSet, data: [{ event: 'Purchase', lead }] },
    ])
  })

  it.each([undefined, '', 'web', 'website', 'system_generated', 'other'])(
    'with the source %j is sent with the pixel and without a lead',
    async (event_source) => {
      const { bodies } = await send([conversion('o-1', { event_source, lead_id: '7' })], eventSets)
      expect(bodies).toMatchObject([{ event_source: 'web', event_source_id: pixel }])
      expect(bodies[0]?.data[0]).not.toHaveProperty('lead')
    },
  )

  it.each<[Record<string, unknown>, string]>([
    [{ event_source: 'offline' }, 'Enter the ID of the offline event set in the settings'],
    [{ event_source: 'crm' }, 'Enter the ID of the CRM event set in the settings'],
    [{ event_source: 'app' }, 'Enter the ID of the app in the settings'],
    [{ event_source: 'radio' }, 'TikTok knows no event source "radio"'],
  ])('that TikTok would refuse is refused in words: %j', async (changes, reason) => {
    const { bodies, outcomes } = await send([conversion('o-1', changes), conversion('o-2')])
    expect(outcomes).toEqual([{ kind: 'rejected', reason: expect.stringContaining(reason) }, { kind: 'delivered' }])
    expect(bodies).toHaveLength(1)
  })

  it('is sent in a request of its own, as events of another test code are', async () => {
    const { bodies, outcomes } = await send(
      [
        conversion('o-1'),
        conversion('o-2', { event_source: 'offline' }),
        conversion('o-3'),
        conversion('o-4', { event_source: 'offline', test_event_code: 'TEST1' }),
        conversion('o-5', { event_source: 'offline', value: -1 }),
      ],
      eventSets,
    )
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'delivered', 'delivered', 'delivered', 'rejected'])
    expect(
      bodies.map(({ event_source: source, test_event_code: code, data }) => [
        source,
        code,
        data.map(({ event_id: id }) => id),
      ]),
    ).toEqual([
      ['web', undefined, ['o-1', 'o-3']],
      ['offline', undefined, ['o-2']],
      ['offline', 'TEST1', ['o-4']],
    ])
  })

  it('of a signal is offline for a sale in a store, and else of the web', async () => {
    const definition = { ...tiktokEvents, conversions }
    const mappings = signalMappings(definition, { eventName: 'Purchase', testCode: '', fields: undefined })
    const map = compileMappings(definition, mappings, { workspaceId: 'w', destinationId: 'd' })
    const sources: string[] = []
    // The words that signals use, see `sourceWords` of packages/signals.
    for (const event_source of ['in_store', 'web', 'other']) {
      const time = new Date(Date.now() - 60_000).toISOString()
      const signal = { kind: 'conversion', event_id: 'o-1', time, event_source, value: 25.5, currency: 'EUR' }
      const mapped = map(receivedEvent('Order Completed', { context: { signal } }), 's')
      if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
      const outgoing = outgoingEvent({}, { action: mapped.action, payload: mapped.payload ?? {} })
      const { bodies } = await send([outgoing], eventSets)
      sources.push(...bodies.map((body) => body.event_source))
    }
    expect(sources).toEqual(['offline', 'web', 'web'])
  })
})

describe('a part that TikTok does not need', () => {
  it.each<[string, unknown, string]>([
    ['num_items', 'three', 'num_items: not an integer'],
    ['predicted_ltv', '1,5', 'predicted_ltv: not a number'],
    ['delivery_category', 'pigeon', 'delivery_category: none of in_store, curbside, home_delivery'],
  ])('is left out and noted: %s', async (name, value, note) => {
    const { bodies, outcomes } = await send([conversion('o-1', { [name]: value })])
    expect(outcomes).toEqual([{ kind: 'delivered', note: `Sent without ${note}` }])
    expect(JSON.stringify(bodies)).not.toContain(`"${name}"`)
  })

  it('is still no reason to send an event without an identifier, or with a wrong value', async () => {
    const { outcomes } = await send([
      conversion('o-1', { email: undefined, num_items: 'three' }),
      conversion('o-2', { value: '25,50', num_items: 'three' }),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['rejected', 'rejected'])
  })
})

it.each([
  [
    { city: 'São Paulo', state: 'SP', country: 'BR' },
    { city: 'sãopaulo', state: 'sp', country: 'br' },
  ],
  [
    { city: '東京', state: '', country: ' JP ' },
    { city: '東京', country: 'jp' },
  ],
  [
    { city: 'القاهرة', state: 'C', country: 'EG' },
    { city: 'القاهرة', state: 'c', country: 'eg' },
  ],
  [{ city: '—', state: '🙂', country: 'St. Lucia' }, { country: 'stlucia' }],
])('the place %j of a person is sent unhashed and in plain letters', async (place, expected) => {
  const { bodies } = await send([conversion('o-1', place)])
  const [first] = bodies.flatMap(({ data }) => data.map(({ user: sent }) => sent as Record<string, unknown>))
  const { email: _, ...sent } = first ?? {}
  expect(sent).toEqual(expected)
})

it('a signal counts a place of the person as known, like the request', () => {
  const presence = compilePresence(
    { ...tiktokEvents, conversions },
    { eventName: 'Purchase', testCode: '', fields: undefined },
    { workspaceId: 'w', destinationId: 'd' },
  )
  const known = identifiersIn(
    presence(receivedEvent('Order Completed', { traits: { address: { city: 'Rome' } } }), 's'),
  )
  expect(known).toContain('address')
})

it('the IDs of event sets have letters and digits', () => {
  expect(check(eventSets)).toEqual({})
  expect(Object.keys(check({ offline_event_set_id: 'my set', crm_event_set_id: '1' }))).toEqual([
    'offline_event_set_id',
    'crm_event_set_id',
  ])
})
