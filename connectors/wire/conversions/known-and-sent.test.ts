import {
  compileMappings,
  compilePresence,
  identifiersIn,
  isPlatform,
  meetsNeeds,
  type PlatformDefinition,
  signalMappings,
  standardEventName,
} from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import type { MatchIdentifier, PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { conversionOf as googleConversionOf } from '../../destinations/google-ads/conversion.ts'
import { googleAds } from '../../destinations/google-ads/definition.ts'
import { googleAnalytics } from '../../destinations/google-analytics/definition.ts'
import { sendableOf } from '../../destinations/google-analytics/event.ts'
import { conversionOf as metaConversionOf } from '../../destinations/meta-conversions/conversion.ts'
import { metaConversions } from '../../destinations/meta-conversions/definition.ts'
import { conversionOf as tiktokConversionOf } from '../../destinations/tiktok-events/conversion.ts'
import { tiktokEvents } from '../../destinations/tiktok-events/definition.ts'

const now = Date.UTC(2026, 10, 20, 12)
const time = new Date(now - 60_000).toISOString()
const place = { workspaceId: 'w', destinationId: 'd' }

/** Returns pseudorandom whole numbers below a limit, always the same for a seed (mulberry32). */
const randomOf = (seed: number): ((limit: number) => number) => {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const hash = '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f'
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Values that people, forms, and vendors' libraries write, in their place of an event. */
const values = {
  email: [
    'ada@example.com',
    ' ADA@Example.com ',
    'ada@example',
    'none',
    ['', 'ada@example.com'],
    ['x'],
    '["a@b.co"]',
    hash,
    `${hash}.Bg`,
    `${hash}.AQQAAQEA`,
    empty,
    `${empty}.Bg`,
    '',
    null,
    5,
    true,
    {},
    undefined,
  ],
  phone: [
    '+49 30 1234567',
    '(800) 555-0100',
    '030 1234567',
    '911',
    16505551212,
    ['none', '+493012345'],
    hash,
    `${hash}.BA`,
    'none',
    '',
    undefined,
  ],
  firstName: ['Ada', 'Mrs. Ada', 'Mrs.', '李', 'محمد', '—', '😀', ' ', ['Ada', 'Bea'], undefined],
  lastName: ['Lovelace', 'King, Jr.', ', Jr.', 'O’Neil', '...', '', undefined],
  city: ['New York', '東京', '123', ' ', undefined],
  state: ['California', 'Bayern', 'ca', '12', undefined],
  postalCode: ['94035-1234', 94_035, '-', ' ', 'M1 1AE', undefined],
  country: ['US', 'United States', 'Deutschland', 'nowhere', 'n/a', '', ['DE'], undefined],
  ip: ['192.0.2.7', ' ', '', undefined],
  userAgent: ['Mozilla/5.0', ' ', undefined],
  userId: ['USER456', ' ', undefined],
  fbp: [
    'fb.1.1596403881668.1116446470',
    'fb.1.1596403881668.1116446470.AQYBAQEB',
    'GA1.1.123.456',
    'fb.1.2',
    ' ',
    undefined,
  ],
  fbc: [
    'fb.1.1554763741205.AbCdEfGhIj',
    'fb.1.1554763741205.AbCdEfGhIj.AQYBAQEB',
    'Cj0KCQjwtest_0123456789-abc',
    'two words',
    '',
    undefined,
  ],
  gclid: ['Cj0KCQjwtest_0123456789-abc', 'E.C.P.abc', ' ', undefined],
  wbraid: ['CjwKCAwbraid', 'fb.1.1554763741205.x', undefined],
  ttclid: ['E.C.P.click', 'Cj0KCQjwtest_0123456789-abc', '', undefined],
  ttp: ['ttp-1', ' ', undefined],
} as const

type Person = Record<keyof typeof values, unknown>

const eventOf = (person: Person): PipelineEvent => {
  const { email, phone, firstName, lastName, city, state, postalCode, country, ip, userAgent, userId } = person
  const { fbp, fbc, gclid, wbraid, ttclid, ttp } = person
  const event = {
    eventId: 's-1',
    messageId: 'order-1',
    type: 'track',
    event: 'Order Completed',
    ...(userId === undefined ? {} : { userId }),
    properties: { order_id: 'order-1' },
    context: {
      traits: { email, phone, firstName, lastName, address: { city, state, postalCode, country } },
      ip,
      userAgent,
      signal: {
        kind: 'conversion',
        event_id: 'order-1',
        time,
        value: 25.5,
        currency: 'EUR',
        consent: true,
        action_source: 'other',
        event_source: 'web',
        fbp,
        fbc,
        gclid,
        wbraid,
        ttclid,
        ttp,
      },
    },
    test: false,
    receivedAt: time,
    timestamp: time,
  }
  return JSON.parse(JSON.stringify(event)) as PipelineEvent
}

/** The names in a platform's request that show what was sent of each identifier. */
type Names = Readonly<Partial<Record<MatchIdentifier, readonly string[]>>>
type Platform = {
  definition: PlatformDefinition
  names: Names
  bodyOf: (event: ReturnType<typeof outgoingEvent>) => object
}

const platformOf = (definition: Parameters<typeof isPlatform>[0]): PlatformDefinition => {
  if (!isPlatform(definition)) throw new Error('the destination takes no conversions')
  return definition
}

const pixel = {
  access_token: 't',
  test_event_code: undefined,
  without_consent: 'send',
  limited_data_use: false,
} as const
const analytics = { stream: 'web', without_consent: 'send', debug_mode: false } as const
const account = { customer_id: '1234567890', conversion_action_id: '7012345678', without_consent: 'send' } as const

const platforms: Readonly<Record<string, Platform>> = {
  Meta: {
    definition: platformOf(metaConversions),
    names: {
      email: ['em'],
      phone: ['ph'],
      external_id: ['external_id'],
      click_id: ['fbc'],
      browser_id: ['fbp'],
      ip_address: ['client_ip_address'],
      user_agent: ['client_user_agent'],
      name: ['fn', 'ln'],
      address: ['ct', 'st', 'zp', 'country'],
    },
    bodyOf: (event) => metaConversionOf(event, { pixel_id: '12345', ...pixel } as never, now),
  },
  TikTok: {
    definition: platformOf(tiktokEvents),
    names: {
      email: ['email'],
      phone: ['phone'],
      external_id: ['external_id'],
      click_id: ['ttclid'],
      browser_id: ['ttp'],
      ip_address: ['ip'],
      user_agent: ['user_agent'],
      name: ['first_name', 'last_name'],
      address: ['zip_code', 'city', 'state', 'country'],
    },
    bodyOf: (event) => tiktokConversionOf(event, { pixel_code: 'C0123ABCD', ...pixel } as never, now),
  },
  'Google Ads': {
    definition: platformOf(googleAds),
    names: {
      email: ['emailAddress'],
      phone: ['phoneNumber'],
      click_id: ['gclid', 'gbraid', 'wbraid'],
      name: ['givenName'],
      address: ['postalCode'],
    },
    bodyOf: (event) => googleConversionOf(event, account as never, now),
  },
}

/** Returns the names with a value anywhere in a request. */
const namesIn = (body: object): Set<string> => {
  const found = new Set<string>()
  JSON.stringify(body, (name, value: unknown) => {
    if (typeof value === 'string' ? value.trim() !== '' : Array.isArray(value) && value.length > 0) found.add(name)
    return value
  })
  return found
}

const rounds = 400

describe('what a signal counts as known', () => {
  // "client_id" of the "Measurement Protocol reference": the tag's, or one that is made of the person.
  it('is enough for Google Analytics if and only if the event can be sent, over random people', () => {
    const definition = platformOf(googleAnalytics)
    const settings = { eventName: 'generate_lead', testCode: '', fields: undefined }
    const presence = compilePresence(definition, settings, place)
    const map = compileMappings(definition, signalMappings(definition, settings), place)
    const random = randomOf(7)
    const ids = [undefined, '', ' ', 'u1', 5]
    const clients = [undefined, '', ' ', '123.456', 'GA1.1.123.456']
    const seen = new Set<boolean>()
    for (let round = 0; round < rounds; round++) {
      const person = Object.fromEntries(
        Object.entries(values).map(([name, list]) => [name, list[random(list.length)]]),
      ) as Person
      const event = eventOf(person) as PipelineEvent & { context: { signal: Record<string, unknown> } }
      const own = { userId: ids[random(ids.length)], anonymousId: ids[random(ids.length)] }
      event.context.signal['ga_client_id'] = clients[random(clients.length)]
      const given = JSON.parse(JSON.stringify({ ...event, ...own })) as PipelineEvent
      const mapped = map(given, 's')
      if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
      const outgoing = outgoingEvent({ messageId: 'order-1' }, { action: mapped.action, payload: mapped.payload ?? {} })
      const isSent = 'body' in sendableOf(outgoing, analytics as never, now)
      expect({ own, isSent }).toEqual({ own, isSent: meetsNeeds(definition.conversions, presence(given, 's')) })
      seen.add(isSent)
    }
    expect(seen.size).toBe(2)
  })

  const cases = Object.entries(platforms).flatMap(([name, platform]) =>
    ['', 'US'].map((country) => ({ name, country, platform })),
  )
  it.each(cases)('is what $name sends, over random people, with the default country "$country"', (each) => {
    const { platform, country } = each
    const ownPlace = { ...place, settings: { default_country: country } }
    const { definition, names, bodyOf } = platform
    const eventName = standardEventName(definition.conversions.platform, { type: 'lead', custom_name: '' })
    const settings = { eventName, testCode: '', fields: undefined }
    const presence = compilePresence(definition, settings, ownPlace)
    const map = compileMappings(definition, signalMappings(definition, settings), ownPlace)
    const random = randomOf(38)
    let sentOnce = 0
    for (let round = 0; round < rounds; round++) {
      const person = Object.fromEntries(
        Object.entries(values).map(([name, list]) => [name, list[random(list.length)]]),
      ) as Person
      const event = eventOf(person)
      const bits = presence(event, 's')
      const known = identifiersIn(bits)
      const mapped = map(event, 's')
      if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
      const body = bodyOf(
        outgoingEvent({ messageId: 'order-1' }, { action: mapped.action, payload: mapped.payload ?? {} }),
      )
      const sent = 'body' in body ? namesIn(body) : new Set<string>()
      const identifiers = (Object.keys(names) as MatchIdentifier[]).filter((each) =>
        names[each]?.some((name) => sent.has(name)),
      )
      expect({ person, isSent: 'body' in body }).toEqual({ person, isSent: meetsNeeds(definition.conversions, bits) })
      if (!('body' in body)) continue
      sentOnce++
      expect({ person, identifiers: known.toSorted() }).toEqual({ person, identifiers: identifiers.toSorted() })
    }
    expect(sentOnce).toBeGreaterThan(rounds / 2)
  })
})
