import { createHash } from 'node:crypto'
import {
  compileMappings,
  compilePresence,
  type DestinationDefinition,
  identifiersIn,
  isPlatform,
  type PlatformDefinition,
  presetMappings,
  signalMappings,
  standardEventName,
} from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { type EventMapping, eventMappings, type PipelineEvent } from '@tributary/contract'
import { describe, expect, it, test } from 'vitest'
import { conversionOf as googleConversionOf } from '../../destinations/google-ads/conversion.ts'
import { googleAds } from '../../destinations/google-ads/definition.ts'
import { conversionOf as metaConversionOf } from '../../destinations/meta-conversions/conversion.ts'
import { metaConversions } from '../../destinations/meta-conversions/definition.ts'
import { conversionOf as tiktokConversionOf } from '../../destinations/tiktok-events/conversion.ts'
import { tiktokEvents } from '../../destinations/tiktok-events/definition.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const now = Date.UTC(2026, 10, 20, 12)
const time = new Date(now - 60_000).toISOString()
const place = { workspaceId: 'w', destinationId: 'd' }

type Traits = Readonly<Record<string, unknown>>

const eventOf = (traits: Traits, signal: object = {}, userId?: string): PipelineEvent => ({
  eventId: 'e',
  messageId: 'm',
  type: 'track',
  event: 'Order Completed',
  ...(userId === undefined ? {} : { userId }),
  properties: { revenue: 25, currency: 'EUR', order_id: 'o-1' },
  context: {
    traits: traits as never,
    ip: '192.0.2.7',
    userAgent: 'Mozilla/5.0',
    page: { url: 'https://shop.example/thanks' },
    signal: { kind: 'conversion', event_id: 'e', time, value: 25, currency: 'EUR', consent: true, ...signal },
  },
  test: false,
  receivedAt: time,
  timestamp: time,
})

/** Returns the mappings of a destination's presets, with further fields in the mapping of an order. */
const mappingsWith = (definition: DestinationDefinition, fields: Readonly<Record<string, string>>): EventMapping[] =>
  eventMappings.parse(
    presetMappings(definition).map((mapping) => ({
      ...mapping,
      field_mappings: [
        ...mapping.field_mappings.filter(({ target }) => !Object.hasOwn(fields, target.name)),
        ...Object.entries(fields).map(([target, name], at) => ({
          id: `f00${at}`,
          source: { type: 'FIELD', name },
          target: { name: target, type: 'string' },
        })),
      ],
    })),
  )

const map = (definition: DestinationDefinition, mappings: EventMapping[], event: PipelineEvent) => {
  const mapped = compileMappings(definition, mappings, place)(event, 's')
  if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
  return {
    problems: mapped.problems.map(({ message }) => message),
    event: outgoingEvent({ messageId: 'm' }, { action: mapped.action, payload: mapped.payload ?? {} }),
  }
}

const metaSettings = { pixel_id: '12345', access_token: 't', without_consent: 'send', limited_data_use: false }
const more = { ge: 'context.traits.gender', db: 'context.traits.birthday', fbp: 'context.traits.fbp' }

/** Returns the user data that Meta receives for an event, and the problems of the mapping. */
const metaUser = (event: PipelineEvent) => {
  const { event: outgoing, problems } = map(metaConversions, mappingsWith(metaConversions, more), event)
  const made = metaConversionOf(outgoing, metaSettings as never, now)
  if (!('body' in made)) throw new Error(JSON.stringify(made))
  return { user: made.body['user_data'] as Record<string, unknown>, problems }
}

const googleSettings = { conversion_action_id: '7012345678', without_consent: 'send' }
const googleIdentifiers = (outgoing: ReturnType<typeof outgoingEvent>): unknown => {
  const made = googleConversionOf(outgoing, googleSettings as never, now)
  if (!('body' in made)) return made
  return (made.body.event['userData'] as { userIdentifiers: unknown }).userIdentifiers
}

const hash = '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f'
const phoneHash = 'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176'
const countryHash = '79adb2a2fce5c6ba215fe5f27f532d4e7edbac4b6a5e09e1ef3a08084a904621'
const address = (part: string) => (value: unknown) => ({ address: { [part]: value } })
const email = (value: unknown) => ({ email: value })

describe('personal data of an event for Meta', () => {
  test.each<[string, Traits, string, unknown]>([
    ['a state by its name', address('state')('California'), 'st', [sha256('ca')]],
    ['a province by its name', address('state')('Québec'), 'st', [sha256('qc')]],
    ['a state by its code', address('state')('NY'), 'st', [sha256('ny')]],
    ['a state of another country', address('state')('Bayern'), 'st', [sha256('bayern')]],
    // The hash of the example of "Customer Information Parameters".
    ['a country by its name', address('country')('United States'), 'country', [countryHash]],
    ['a country by its code', address('country')(' us '), 'country', [countryHash]],
    ['a country by three letters', address('country')('USA'), 'country', [countryHash]],
    ['no country', address('country')('somewhere'), 'country', undefined],
    ['the gender Mrs', { gender: 'Mrs' }, 'ge', [sha256('f')]],
    ['the gender Miss', { gender: 'Miss' }, 'ge', [sha256('f')]],
    ['the gender female', { gender: 'Female' }, 'ge', [sha256('f')]],
    ['the gender Mr', { gender: 'MR' }, 'ge', [sha256('m')]],
    ['a gender in another language', { gender: 'männlich' }, 'ge', undefined],
    ['another gender', { gender: 'non-binary' }, 'ge', undefined],
    [
      'a date of birth',
      { birthday: '2/16/1997' },
      'db',
      ['01acdbf6ec7b4f478a225f1a246e5d6767eeab1a7ffa17f025265b5b94f40f0c'],
    ],
    ['a hash of the Parameter Builder', email(`${hash}.Bg`), 'em', [`${hash}.Bg`]],
    ['a hash of the Parameter Builder for servers', email(`${hash}.AQQAAQEA`), 'em', [`${hash}.AQQAAQEA`]],
    ['a hash of our own', email(hash.toUpperCase()), 'em', [hash]],
    ['a hash with another appendix', email(`${hash}.Zz`), 'em', undefined],
    ['a list of one email', email(['John_Smith@gmail.com']), 'em', [hash]],
    ['a list of two emails', email(['John_Smith@gmail.com', 'b@example.com']), 'em', [hash, sha256('b@example.com')]],
    ['a list with an empty email', email(['', null, 'John_Smith@gmail.com', 'none']), 'em', [hash]],
    ['a list as text', email('["John_Smith@gmail.com"]'), 'em', [hash]],
    ['an email without a real domain', email('ada@example'), 'em', undefined],
    ['an email on the machine', email('root@localhost'), 'em', undefined],
    ['an email with two dots', email('ada@example..com'), 'em', undefined],
    ['an email of 4,000 characters', email(`${'a'.repeat(4000)}@example.com`), 'em', undefined],
    [
      'the browser ID of the Parameter Builder',
      { fbp: 'fb.1.1596403881668.1116446470.AQYBAQEB' },
      'fbp',
      'fb.1.1596403881668.1116446470.AQYBAQEB',
    ],
    ['the browser ID of another vendor', { fbp: 'GA1.1.1116446470.1596403881' }, 'fbp', undefined],
  ])('has %s', (_, traits, name, wanted) => {
    expect(metaUser(eventOf(traits)).user[name]).toEqual(wanted)
  })

  it.each(['USER456', ' user456 ', 'User 456'])('has the external ID %j in lower case and without spaces', (id) => {
    expect(metaUser(eventOf({}, {}, id)).user['external_id']).toEqual([sha256('user456')])
  })

  it.each(['us', 'US', 'United States'])('has a phone number in national form with the country %j', (country) => {
    expect(metaUser(eventOf({ phone: '(650)555-1212', address: { country } })).user['ph']).toEqual([phoneHash])
  })

  it.each([undefined, 'nowhere', '', 'DK'])(
    'has no phone number in national form with the country %j, and says so',
    (country) => {
      const { user, problems } = metaUser(eventOf({ phone: '(650)555-1212', address: { country } }))
      expect(user['ph']).toBeUndefined()
      expect(problems).toContain(
        '"Phone" (ph) is not sent: the phone of the user is a phone number without a country code',
      )
    },
  )

  it('has at most 10 emails of a list of 1,000', () => {
    const many = Array.from({ length: 1000 }, (_, at) => `a${at}@example.com`)
    expect(metaUser(eventOf(email(many))).user['em']).toHaveLength(10)
    const mappings = mappingsWith(metaConversions, { em: 'context.traits.email' })
    expect(map(metaConversions, mappings, eventOf(email(many))).event.payload?.['em']).toHaveLength(10)
  })
})

describe('personal data of a signal', () => {
  const platformOf = (definition: DestinationDefinition): PlatformDefinition => {
    if (!isPlatform(definition)) throw new Error('the destination takes no conversions')
    return definition
  }
  const settings = (definition: DestinationDefinition) => ({
    eventName: standardEventName(platformOf(definition).conversions.platform, { type: 'lead', custom_name: '' }),
    testCode: '',
    fields: undefined,
  })
  const known = (definition: DestinationDefinition, event: PipelineEvent) =>
    identifiersIn(compilePresence(platformOf(definition), settings(definition), place)(event, 's'))
  const signalOf = (definition: DestinationDefinition, event: PipelineEvent) =>
    map(definition, signalMappings(platformOf(definition), settings(definition)), event).event

  it('to Meta has state and country by their names', () => {
    const event = eventOf({ address: { state: 'California', country: 'United States' } }, { action_source: 'website' })
    const outgoing = signalOf(metaConversions, event)
    expect(outgoing.payload).toMatchObject({ st: sha256('ca'), country: countryHash })
    expect(known(metaConversions, event)).toEqual(['ip_address', 'user_agent', 'address'])
  })

  it('to Meta counts a browser ID of the Parameter Builder as known, and one of another vendor as unknown', () => {
    const fbp = 'fb.1.1596403881668.1116446470.AQYBAQEB'
    const event = eventOf({}, { fbp })
    expect(signalOf(metaConversions, event).payload).toMatchObject({ fbp })
    expect(known(metaConversions, event)).toContain('browser_id')
    expect(known(metaConversions, eventOf({}, { fbp: 'GA1.1.1.2' }))).not.toContain('browser_id')
  })

  it('to Google Ads has a phone number in national form with the country of the address', () => {
    const event = eventOf({ phone: '(800) 555-0100', address: { country: 'US' } })
    // The hash of "+18005550100" in UserDataFormatterTest.java of Google's data-manager-java.
    expect(googleIdentifiers(signalOf(googleAds, event))).toEqual([
      { phoneNumber: 'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30' },
    ])
    expect(known(googleAds, event)).toEqual(['phone'])
    expect(known(googleAds, eventOf({ phone: '(800) 555-0100' }))).toEqual([])
  })

  it('to Google Ads counts name and address as known only together, as Google takes them', () => {
    const whole = { firstName: 'Mrs. Ada', lastName: 'King', address: { country: 'Deutschland', postalCode: '10115' } }
    expect(known(googleAds, eventOf(whole))).toEqual(['name', 'address'])
    for (const name of ['firstName', 'lastName', 'address']) {
      const { [name]: _, ...rest } = whole as Record<string, unknown>
      expect(known(googleAds, eventOf(rest))).toEqual([])
    }
    expect(googleIdentifiers(signalOf(googleAds, eventOf(whole)))).toEqual([
      {
        address: { givenName: sha256('ada'), familyName: sha256('king'), regionCode: 'DE', postalCode: '10115' },
      },
    ])
  })

  it('to TikTok has every email of a list', () => {
    const outgoing = signalOf(tiktokEvents, eventOf(email(['a@example.com', 'B@example.com'])))
    const made = tiktokConversionOf({ ...outgoing }, { pixel_code: 'C0123ABCD', without_consent: 'send' } as never, now)
    expect(made).toMatchObject({ body: { user: { email: [sha256('a@example.com'), sha256('b@example.com')] } } })
  })
})

it('Google Ads receives at most 10 identifiers of an event ("UserData")', () => {
  const many = (text: (at: number) => string) => Array.from({ length: 50 }, (_, at) => text(at))
  const traits = {
    email: many((at) => `a${at}@example.com`),
    phone: many((at) => `+4930123456${at}`),
    firstName: ['Ada', 'Bea'],
    lastName: 'King',
    address: { country: 'DE', postalCode: '10115' },
  }
  const fields = { conversion_action_id: 'context.none' }
  const { event } = map(googleAds, mappingsWith(googleAds, fields), eventOf(traits))
  expect(googleIdentifiers(event)).toHaveLength(10)
})
