import { createHash } from 'node:crypto'
import {
  compileMappings,
  compilePresence,
  conversionProfile,
  type DestinationDefinition,
  type EventOutcome,
  identifiersIn,
  isPlatform,
  mappingProblems,
  meetsNeeds,
  type OutgoingEvent,
  type PlatformDefinition,
  type SignalPlatformSettings,
  signalMappings,
  standardEventName,
} from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import type { PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { googleAds } from '../../destinations/google-ads/definition.ts'
import {
  token as adsToken,
  conversionAction,
  createGoogleAds,
} from '../../destinations/google-ads/testing-google-ads.ts'
import { googleAnalytics } from '../../destinations/google-analytics/definition.ts'
import { createAnalytics, measurement, secret } from '../../destinations/google-analytics/testing-google-analytics.ts'
import { metaConversions } from '../../destinations/meta-conversions/definition.ts'
import {
  createMetaConversions,
  token as metaToken,
  pixel,
} from '../../destinations/meta-conversions/testing-meta-conversions.ts'
import { tiktokEvents } from '../../destinations/tiktok-events/definition.ts'
import {
  createTikTok,
  pixel as tiktokPixel,
  token as tiktokToken,
} from '../../destinations/tiktok-events/testing-tiktok.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const platformOf = (definition: DestinationDefinition): PlatformDefinition => {
  if (!isPlatform(definition)) throw new Error(`${definition.slug} is no platform`)
  return definition
}
const definitions = [metaConversions, googleAds, googleAnalytics, tiktokEvents].map(platformOf)
const place = { workspaceId: 'w', destinationId: 'd' }
const minuteAgo = new Date(Date.now() - 60_000).toISOString()

/** Returns a conversion in the form in which signals create it. */
const conversion = (more: Record<string, unknown> = {}, context: Record<string, unknown> = {}): PipelineEvent => ({
  eventId: 's-1',
  messageId: 'order-1',
  type: 'track',
  event: 'Order Completed',
  userId: 'u1',
  properties: { products: [{ product_id: 'p1', price: 25.5, quantity: 1 }], order_id: 'order-1' },
  context: {
    traits: { email: ' Ada@Example.com ', phone: '+49 30 1234567' },
    ip: '192.0.2.71',
    userAgent: 'Mozilla/5.0 (X11)',
    page: { url: 'https://shop.example/thanks' },
    ...context,
    signal: {
      kind: 'conversion',
      event_id: 'order-1',
      time: minuteAgo,
      value: 25.5,
      currency: 'EUR',
      consent: true,
      action_source: 'website',
      event_source: 'web',
      gclid: 'Cj0KCQjwtest_0123456789-abcdef',
      fbc: 'fb.1.1554763741205.AbCdEfGhIjKlMnOp',
      fbp: 'fb.1.1558571054389.1098115397',
      ttclid: 'E.C.P.click0123456789',
      ga_client_id: '123.456',
      ...more,
    },
  },
  test: false,
  receivedAt: minuteAgo,
  timestamp: minuteAgo,
})

const settingsOf = (
  definition: PlatformDefinition,
  more: Partial<SignalPlatformSettings> = {},
): SignalPlatformSettings => ({
  eventName: standardEventName(definition.conversions.platform, { type: 'purchase', custom_name: '' }),
  testCode: '',
  fields: undefined,
  ...more,
})

const outgoing = (
  definition: PlatformDefinition,
  event: PipelineEvent,
  more: Partial<SignalPlatformSettings> = {},
): OutgoingEvent => {
  const mapped = compileMappings(
    definition,
    signalMappings(definition, settingsOf(definition, more)),
    place,
  )(event, 's')
  if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
  return outgoingEvent(
    { messageId: event.messageId, event: event.event },
    { action: mapped.action, payload: mapped.payload ?? {} },
  )
}

type Peer = {
  definition: DestinationDefinition
  origin: string
  settings: Record<string, unknown>
  answer: (request: VendorRequest) => PeerAnswer
  accessToken?: () => Promise<string>
}

const send = async ({ definition, origin, settings, answer, accessToken }: Peer, ...events: OutgoingEvent[]) => {
  const { asked, rebase } = await startVendor({ origins: [origin] }, answer)
  const result = await runConnector(definition, settings, events, {
    rebase,
    ...(accessToken === undefined ? {} : { accessToken }),
  })
  return { asked, outcomes: result.outcomes as readonly EventOutcome[] }
}

const metaPeer = () => {
  const peer = createMetaConversions()
  return {
    ...peer,
    definition: metaConversions,
    origin: 'https://graph.facebook.com',
    settings: { pixel_id: pixel, access_token: metaToken },
  }
}
const adsPeer = () => ({
  ...createGoogleAds({}),
  definition: googleAds,
  origin: 'https://datamanager.googleapis.com',
  settings: { customer_id: '123-456-7890', conversion_action_id: conversionAction, client_id: 'c', client_secret: 's' },
  accessToken: async () => adsToken,
})
const tiktokPeer = () => ({
  ...createTikTok(),
  definition: tiktokEvents,
  origin: 'https://business-api.tiktok.com',
  settings: { pixel_code: tiktokPixel, access_token: tiktokToken },
})
const analyticsPeer = () => ({
  ...createAnalytics(),
  definition: googleAnalytics,
  origin: 'https://www.google-analytics.com',
  settings: { measurement_id: measurement, api_secret: secret },
})

describe('the requests of signals', () => {
  it.each(definitions.map((definition) => [definition.slug, definition] as const))(
    'the default mappings for a signal to %s can be saved, and the weights sum to 10',
    (_, definition) => {
      expect(mappingProblems(definition, signalMappings(definition, settingsOf(definition)))).toEqual({})
      const weights = Object.values(definition.conversions.identifiers).map(({ weight }) => weight)
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(10)
    },
  )

  it.each([
    ['Meta', metaPeer],
    ['Google Ads', adsPeer],
    ['TikTok', tiktokPeer],
    ['Google Analytics', analyticsPeer],
  ] as const)("a signal's request is accepted by %s", async (_, peer) => {
    const to = peer()
    const { outcomes, asked } = await send(to, outgoing(platformOf(to.definition), conversion()))
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    // Google Analytics always responds with success.
    expect([...to.counted.values()]).toHaveLength(1)
    expect(JSON.stringify(asked.map(({ body }) => body))).not.toMatch(/ada@example|1234567[^8]/i)
  })

  it("a signal's request to Meta has the event ID, the value, the click, and hashes", async () => {
    const to = metaPeer()
    const { asked } = await send(to, outgoing(platformOf(metaConversions), conversion()))
    expect(asked.at(-1)?.body).toMatchObject({
      data: [
        {
          event_name: 'Purchase',
          event_id: 'order-1',
          action_source: 'website',
          custom_data: { value: 25.5, currency: 'EUR' },
          user_data: {
            em: [sha256('ada@example.com')],
            ph: [sha256('49301234567')],
            fbc: 'fb.1.1554763741205.AbCdEfGhIjKlMnOp',
            fbp: 'fb.1.1558571054389.1098115397',
          },
        },
      ],
    })
  })

  it.each([
    ['Meta', metaConversions, metaPeer],
    ['TikTok', tiktokEvents, tiktokPeer],
    ['Google Ads', googleAds, adsPeer],
  ] as const)('an order that two signals send to %s counts once, by its ID', async (_, definition, peerOf) => {
    const to = peerOf()
    const one = outgoing(platformOf(definition), conversion())
    const other = { ...outgoing(platformOf(definition), conversion()), messageId: 'of another signal' }
    for (const batch of [[one, other], [other]])
      expect((await send(to, ...batch)).outcomes).toEqual(batch.map(() => ({ kind: 'delivered' })))
    expect([...to.counted.values()]).toHaveLength(1)
  })

  // "transaction_id" of the events reference: Google Analytics counts a purchase with the same ID once.
  it('an order that two signals send to Google Analytics has one transaction ID', async () => {
    const to = analyticsPeer()
    const one = outgoing(platformOf(googleAnalytics), conversion())
    const other = { ...outgoing(platformOf(googleAnalytics), conversion()), messageId: 'of another signal' }
    await send(to, one, other)
    const sent = [...to.counted.values()].flatMap(({ events = [] }) => events)
    expect(sent.map(({ name, params }) => [name, params?.['transaction_id']])).toEqual([
      ['purchase', 'order-1'],
      ['purchase', 'order-1'],
    ])
  })

  it("a signal's request keeps hashed values, and never hashes empty ones", () => {
    const [definition] = definitions
    if (definition === undefined) throw new Error('there are platforms')
    const hashed = sha256('ada@example.com').toUpperCase()
    const traits = { email: hashed, phone: ' ' }
    const { payload } = outgoing(definition, conversion({}, { traits }))
    expect(payload).toMatchObject({ em: hashed.toLowerCase() })
    expect(payload).not.toHaveProperty('ph')
    const presence = compilePresence(definition, settingsOf(definition), place)
    const present = (given: object) => identifiersIn(presence(conversion({}, { traits: given }), 's'))
    expect(present(traits)).toContain('email')
    expect(present(traits)).not.toContain('phone')
    expect(present({ email: 'none' })).not.toContain('email')
  })

  it("a signal's request has one test code, and events with several codes are sent in separate requests", async () => {
    const to = metaPeer()
    const definition = platformOf(metaConversions)
    const { asked, outcomes } = await send(
      to,
      outgoing(definition, conversion()),
      outgoing(definition, conversion({ event_id: 'order-2' }), { testCode: 'TEST1' }),
      outgoing(definition, conversion({ event_id: 'order-3' })),
    )
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }, { kind: 'delivered' }])
    const sent = asked.map(({ body }) => body as { data: unknown[]; test_event_code?: string })
    expect(sent.map(({ data, test_event_code: code }) => [data.length, code])).toEqual([
      [2, undefined],
      [1, 'TEST1'],
    ])
  })

  // "client_id: Must be two positive numbers, joined by a period (.)" ("Measurement Protocol reference")
  it("a signal to Google Analytics of a user without the tag's client ID is sent, and the browser is not known", async () => {
    const event = conversion({ ga_client_id: undefined, ga_session_id: undefined })
    const definition = platformOf(googleAnalytics)
    const presence = compilePresence(definition, settingsOf(definition), place)
    expect(identifiersIn(presence(event, 's'))).not.toContain('browser_id')
    expect(identifiersIn(presence(conversion(), 's'))).toContain('browser_id')
    expect(meetsNeeds(definition.conversions, presence(event, 's'))).toBe(true)
    const to = analyticsPeer()
    const { outcomes } = await send(to, outgoing(definition, event))
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    expect(to.counted[0]).toMatchObject({ client_id: expect.stringMatching(/^\d+\.\d+$/), user_id: 'u1' })
  })

  // "You must include the engagement_time_msec and session_id parameters in order for user activity to display in
  // reports like Realtime." ("Measurement Protocol reference")
  it('a signal to Google Analytics has the session of the tag, an engagement time, and the order', async () => {
    const to = analyticsPeer()
    const event = conversion({ ga_session_id: '1700000000' })
    await send(to, outgoing(platformOf(googleAnalytics), event))
    expect(to.counted[0]?.events?.[0]?.params).toMatchObject({
      session_id: '1700000000',
      engagement_time_msec: 1,
      transaction_id: 'order-1',
      value: 25.5,
      items: [{ item_id: 'p1', price: 25.5, quantity: 1 }],
    })
  })

  it('a refund of a signal restates the conversion at Google Ads, and is a refund at Google Analytics', async () => {
    const refund = conversion({
      kind: 'refund',
      value: 10,
      remaining_value: 15.5,
      conversion_time: new Date(Date.now() - 86_400_000).toISOString(),
    })
    expect(outgoing(platformOf(googleAds), refund)).toMatchObject({
      action: 'adjust_conversion',
      payload: { transaction_id: 'order-1', value: 15.5 },
    })
    expect(outgoing(platformOf(googleAnalytics), refund)).toMatchObject({
      action: 'send_event',
      payload: { event_name: 'refund', transaction_id: 'order-1', value: 10 },
    })
    const { outcomes } = await send(adsPeer(), outgoing(platformOf(googleAds), refund))
    expect(outcomes).toEqual([{ kind: 'delivered' }])
  })
})

describe('data that only the profile of the person has', () => {
  const profile = {
    traits: {
      email: ' Ada@Example.com ',
      phone: '+49 30 1234567',
      first_name: 'Ada',
      lastName: 'Lovelace',
      address: { city: 'Berlin', postal_code: '10115', country: 'DE' },
    },
    identifiers: {},
    audiences: {},
  }
  const bare = (known: unknown) => conversion({ profile: known }, { traits: {} })
  const sentOf = (definition: PlatformDefinition, event: PipelineEvent) => {
    const mappings = signalMappings(definition, settingsOf(definition))
    const mapped = compileMappings(definition, mappings, place)(event, 's', undefined, conversionProfile(event))
    return mapped.kind === 'mapped' ? JSON.stringify(mapped.payload) : mapped.kind
  }

  it.each(definitions.map((definition) => [definition.slug, definition] as const))(
    '%s gets it, and counts it as known',
    (_, definition) => {
      const presence = compilePresence(definition, settingsOf(definition), place)
      expect(identifiersIn(presence(bare(profile), 's'))).toEqual(expect.arrayContaining(['email', 'phone']))
      const sent = sentOf(definition, bare(profile))
      expect(sent).toContain(sha256('ada@example.com'))
      expect(identifiersIn(presence(bare(undefined), 's'))).not.toContain('email')
      expect(sentOf(definition, bare(undefined))).not.toContain(sha256('ada@example.com'))
    },
  )

  it('an identifier of the profile serves if there is no trait', () => {
    const known = { traits: {}, identifiers: { email: 'ada@example.com' }, audiences: {} }
    expect(sentOf(platformOf(metaConversions), bare(known))).toContain(sha256('ada@example.com'))
  })
})
