import type { EventProfile, ProfileConsent } from '@tributary/connector-kit'
import type { PipelineEvent } from '@tributary/contract'
import { expect, it } from 'vitest'
import type { StoredDefinition } from '../read.ts'
import { type MadeConversion, makeConversion, type ReadyPlatform } from './make.ts'
import { profileNeedsOfSignals } from './profile-use.ts'

const now = Date.UTC(2026, 10, 29)
const at = new Date(now - 60_000).toISOString()

type Given = {
  value?: object
  platforms?: readonly ReadyPlatform[]
  context?: PipelineEvent['context']
  withdrawnAt?: number
  profile?: EventProfile
}

const definitionOf = (value: object): StoredDefinition =>
  ({
    trigger: { type: 'events', events: [{ event_type: 'track', event_name: '' }], filters: [], filter_match: 'all' },
    value,
    event_id: { type: 'message_id' },
    conversion: { type: 'add_to_cart', custom_name: '' },
    refunds: null,
  }) as unknown as StoredDefinition

/** Returns the conversion that a signal makes of an event with these properties. */
const made = (
  event: string,
  properties: PipelineEvent['properties'],
  { value = { type: 'none' }, platforms = [], context = {}, withdrawnAt, profile }: Given = {},
): MadeConversion => {
  return makeConversion({
    signal: { id: 's', workspaceId: 'w', definition: definitionOf(value), platforms },
    event: {
      eventId: 'e',
      messageId: 'm',
      type: 'track',
      event,
      properties,
      context,
      test: false,
      receivedAt: at,
      timestamp: at,
    },
    own: {},
    person: { kept: new Map(), withdrawnAt },
    origin: 'event',
    profile,
    options: { settings: { without_consent: 'send', consent_path: 'context.consent.marketing' }, now },
  })
}

/** Returns `context.signal` of a conversion. */
const signalOf = ({ json }: MadeConversion): Record<string, unknown> =>
  (JSON.parse(json) as { context: { signal: Record<string, unknown> } }).context.signal

it.each<[string, PipelineEvent['properties'], object | undefined]>([
  [
    'a product at the root',
    { product_id: 'p1', price: 10, quantity: 3, note: 'x' },
    { product_id: 'p1', price: 10, quantity: 3 },
  ],
  ['an empty list', { sku: 's1', products: [] }, { sku: 's1' }],
  ['a list of products', { name: 'Order', products: [{ product_id: 'p1' }] }, undefined],
  ['texts that are too long, lists, and objects', { name: 'x'.repeat(501), brand: ['a'], price: {} }, undefined],
  ['no properties', undefined, undefined],
])('a conversion of an event with %s has the data of its product for destinations', (_, properties, product) => {
  expect(signalOf(made('Product Added', properties))['product']).toEqual(product)
})

it.each<[string, PipelineEvent['properties'], object, string]>([
  ['no currency and a default', { total: 5 }, { default_currency: 'EUR' }, ''],
  ['a blank currency and a default', { total: 5, currency: '' }, { default_currency: 'EUR' }, ''],
  ['no currency and no default', { total: 5 }, {}, 'invalid_currency'],
  ['a wrong currency and a default', { total: 5, currency: 'EURO' }, { default_currency: 'EUR' }, 'invalid_currency'],
])('a conversion with a value, and with %s, is sent or not', (_, properties, destinationSettings, reason) => {
  const target = { name: 'currency', type: 'string', default: { setting: 'default_currency' } }
  const conversions = {
    platform: 'meta',
    action: 'convert',
    fields: {},
    identifiers: {},
    needs: [],
    maxAgeMs: { online: 86_400_000 },
  }
  const definition = { slug: 'stub', title: 'Stub', actions: [{ name: 'convert', targets: [target] }], conversions }
  const platform = {
    destinationId: 'd',
    definition,
    settings: { eventName: '', testCode: '', fields: undefined },
    destinationSettings,
    consentCategories: [],
  } as unknown as ReadyPlatform
  const value = { type: 'event', amount_path: 'properties.total', currency_path: 'properties.currency', currency: '' }
  expect(made('Order Completed', properties, { value, platforms: [platform] }).platforms).toMatchObject([{ reason }])
})

it.each<[string, boolean | undefined, number | undefined, boolean]>([
  ['no consent and no withdrawal', undefined, undefined, true],
  ['no consent after a withdrawal', undefined, now - 3_600_000, false],
  ['consent after a withdrawal', true, now - 3_600_000, true],
  ['consent before a withdrawal', true, now, false],
  ['a denial', false, undefined, false],
])('a conversion of an event with %s has values of the profile or not', (_, consent, withdrawnAt, has) => {
  const profile = { json: '{"traits":{"email":"a@example.com"}}', lacks: '' }
  const context = consent === undefined ? {} : { consent: { marketing: consent } }
  const signal = signalOf(
    made('Order', {}, { context, profile, ...(withdrawnAt === undefined ? {} : { withdrawnAt }) }),
  )
  expect('profile' in signal).toBe(has)
})

const [before, after] = ['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']

it.each<[string, readonly string[], object | undefined, ProfileConsent | undefined, string]>([
  ['requires no consent', [], {}, undefined, ''],
  ['requires consent that the event has', ['ads'], { ads: true }, undefined, ''],
  ['requires consent that the event does not have', ['ads'], {}, undefined, 'no_identifier'],
  ['requires consent that only the profile has', ['ads'], undefined, { time: before, granted: ['ads'] }, ''],
  ['requires consent that the profile denied', ['ads'], undefined, { time: before, granted: [] }, 'no_identifier'],
  [
    'requires consent that was denied after the event',
    ['ads'],
    { ads: true },
    { time: after, granted: [] },
    'no_identifier',
  ],
  ['requires consent that is not known', ['ads'], undefined, undefined, 'no_identifier'],
])(
  'an identifier of the profile counts or not if the destination %s',
  (_, consentCategories, given, consent, reason) => {
    const target = { name: 'email', type: 'string' }
    const conversions = {
      platform: 'meta',
      action: 'convert',
      fields: { email: { type: 'TEMPLATE', value: '{{ profile.traits.email }}' } },
      identifiers: { email: { targets: ['email'], weight: 1 } },
      needs: [['email']],
      maxAgeMs: { online: 86_400_000 },
    }
    const platform = {
      destinationId: 'd',
      definition: { slug: 'stub', title: 'Stub', actions: [{ name: 'convert', targets: [target] }], conversions },
      settings: { eventName: '', testCode: '', fields: undefined },
      destinationSettings: {},
      consentCategories,
    } as unknown as ReadyPlatform
    const profile = { json: '{"traits":{"email":"a@example.com"}}', lacks: '', ...(consent && { consent }) }
    const context = given === undefined ? {} : { consent: { categoryPreferences: given } }
    const conversion = made('Order', {}, { platforms: [platform], profile, context })
    expect(conversion.platforms).toMatchObject([{ reason }])
    // Each attempt to send uses the consent of the time when the conversion was made.
    expect(signalOf(conversion)['profile_consent']).toEqual(consent)
    const needs = profileNeedsOfSignals([{ definition: definitionOf({ type: 'none' }), platforms: [platform] }])
    expect(needs).toEqual(consentCategories.length === 0 ? ['traits.email'] : ['consent', 'traits.email'])
  },
)
