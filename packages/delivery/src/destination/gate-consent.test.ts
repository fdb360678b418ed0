import type { ProfileConsent } from '@tributary/connector-kit'
import { eventMappings, type PipelineEvent } from '@tributary/contract'
import { expect, it } from 'vitest'
import { type DeliveryRecord, openRecord } from '../log/record.ts'
import type { DestinationEntry } from '../ports.ts'
import { relay } from '../testing-connector.ts'
import { createGate, type Gate, type GateResult } from './gate.ts'

const now = Date.parse('2026-01-08T00:00:00.000Z')

const recordOf = (context: PipelineEvent['context'], meta: object = {}): DeliveryRecord => {
  const time = new Date(now).toISOString()
  const event = {
    eventId: '0-1-0',
    messageId: 'm1',
    type: 'track',
    event: 'Order',
    context,
    receivedAt: time,
    timestamp: time,
  }
  const made = {
    partition: 0,
    offset: 1,
    incarnation: '',
    time: now,
    key: 'w',
    body: Buffer.from(`[${JSON.stringify(event)}]\n`),
  }
  const record = openRecord({ ...made, meta: JSON.stringify({ w: 'w', s: 's1', d: ['d'], n: 1, ...meta }) })
  if (record === undefined) throw new Error('no record')
  return record
}

const action = 'convert'
const target = { label: '', help: '', type: 'any', required: false, recommended: false, kind: 'custom' } as const
const platform: typeof relay = {
  ...relay,
  actions: [...relay.actions, { ...relay.actions[0]!, name: action, targets: [{ ...target, name: 'event_name' }] }],
  conversions: {
    platform: 'meta',
    maxAgeMs: { online: 1 },
    action,
    eventName: 'event_name',
    eventId: { target: 'event_id', pixelParameter: 'eventID' },
    fields: {},
    identifiers: {},
    needs: [],
  },
}

const consentOf = (ads: boolean | undefined): object =>
  ads === undefined ? {} : { consent: { categoryPreferences: { ads } } }

/** Returns a mapping of one field from a template. */
const mappingsOf = (value: string) => {
  const source = { type: 'TEMPLATE', value }
  return eventMappings.parse([
    { id: 'aaaa', destination: action, field_mappings: [{ id: 'f001', source, target: { name: 'email' } }] },
  ])
}

const gateOf = (of: Partial<DestinationEntry>): Gate => {
  const entry: DestinationEntry = {
    id: 'D-1',
    workspaceId: 'w',
    title: 'My orders',
    app: 'relay',
    enabled: true,
    settings: {},
    mappings: undefined,
    presetVersion: 2,
    consentCategories: [],
    filters: new Map(),
    ...of,
  }
  return createGate(platform, entry, { until: () => 0, version: () => '', isOf: () => false })
}

const check = (record: DeliveryRecord, of: Partial<DestinationEntry>): GateResult => gateOf(of)(record, 0, now)

/** Returns the template of a value as it is sent, by the profile that was looked up for the event. */
const checkWith = (template: string, ads: boolean | undefined, consent?: ProfileConsent): GateResult => {
  const needs = ['traits.email', 'consent']
  const known = { json: '{"traits":{"email":"a@example.com"}}', lacks: '', needs, ...(consent && { consent }) }
  const record = {
    ...recordOf({ ...consentOf(ads), traits: { email: 'own@example.com' } }),
    profiles: new Map([[0, known]]),
  }
  return check(record, { consentCategories: ['ads'], mappings: mappingsOf(template) })
}
const laterThan = (ms: number, ...granted: string[]): ProfileConsent => ({
  time: new Date(now + ms).toISOString(),
  granted,
})
const byEvent = "values of the profile by the event's consent"
const byProfile = (ms: number): string => `values of the profile by the profile's consent of ${laterThan(ms).time}`
const deniedBy = (ms: number): string =>
  `"email" is not sent: the profile's consent of ${laterThan(ms).time} allows no values of it`
const value = '{{ profile.traits.email }}'

it.each<[string, string, boolean | undefined, ProfileConsent | undefined, string | undefined, string | undefined]>([
  ['the consent of the event', value, true, undefined, 'a@example.com', byEvent],
  [
    'the consent of the event, although the profile denied before',
    value,
    true,
    laterThan(-1),
    'a@example.com',
    byEvent,
  ],
  ['a later denial of the profile', value, true, laterThan(1), undefined, deniedBy(1)],
  ['the consent of the profile', value, undefined, laterThan(-9, 'ads'), 'a@example.com', byProfile(-9)],
  ['the denial of the profile', value, undefined, laterThan(-9, 'email'), undefined, deniedBy(-9)],
  [
    'no known consent',
    value,
    undefined,
    undefined,
    undefined,
    '"email" is not sent: no consent allows values of the profile',
  ],
  [
    'a value of the event alone',
    '{{ context.traits.email | default: profile.traits.email }}',
    true,
    undefined,
    'own@example.com',
    undefined,
  ],
  ['a text that only asks the profile', '{% if profile.traits.email %}yes{% endif %}', true, undefined, 'yes', byEvent],
])(
  'by %s, a value is sent or not, and the delivery says by whose consent',
  (_, template, ads, consent, email, note) => {
    const result = checkWith(template, ads, consent)
    expect(result).toMatchObject({ kind: 'pass' })
    const { payload, note: found } = result as { payload: object; note?: string }
    expect({ payload, note: found }).toEqual({ payload: email === undefined ? {} : { email }, note })
  },
)

const ofProfile = { type: 'PROFILE', name: 'traits.email' }
const ofEvent = { type: 'FIELD', name: 'context.traits.email' }

it.each<[string, object, string, string | undefined, number]>([
  ['a value of the profile', ofProfile, 'a@example.com', byEvent, 1],
  [
    'the first value, which the event has',
    { type: 'FIRST', sources: [ofEvent, ofProfile] },
    'own@example.com',
    undefined,
    1,
  ],
  ['a template', { type: 'TEMPLATE', value }, 'a@example.com', byEvent, 2],
])(
  'an event that sends %s is mapped again only if nothing else says whose value it is',
  (_, source, email, note, times) => {
    const known = { json: '{"traits":{"email":"a@example.com"}}', lacks: '', needs: ['traits.email', 'consent'] }
    const record = recordOf({ ...consentOf(true), traits: { email: 'own@example.com' } })
    let mapped = 0
    const event = record.values(0) as PipelineEvent
    // Each mapping reads this field once.
    const context = Object.defineProperty({ ...(event.context as object) }, 'counted', {
      get: () => {
        mapped++
        return 'x'
      },
    })
    const fields = [
      { id: 'f001', source, target: { name: 'email' } },
      { id: 'f002', source: { type: 'FIELD', name: 'context.counted' }, target: { name: 'id' } },
    ]
    const mappings = eventMappings.parse([{ id: 'aaaa', destination: action, field_mappings: fields }])
    const given = { ...record, values: () => ({ ...event, context }), profiles: new Map([[0, known]]) }
    const result = check(given, { consentCategories: ['ads'], mappings })
    const { payload, note: found } = result as { payload: object; note?: string }
    expect({ payload, note: found }).toEqual({ payload: { email, id: 'x' }, note })
    expect(mapped).toBe(times)
  },
)

it('a denial of the event filters it, whatever the profile says', () => {
  expect(checkWith(value, false, laterThan(1, 'ads'))).toEqual({ kind: 'filtered', reason: 'No consent for ads' })
})

it.each<[boolean | undefined, object | undefined, object]>([
  [undefined, laterThan(-9, 'ads'), { email: 'a@example.com' }],
  [undefined, laterThan(-9), {}],
  [true, laterThan(1), {}],
])('a conversion with consent %s uses the consent of its profile: %j', (ads, profile_consent, expected) => {
  const profile = { traits: { email: 'a@example.com' } }
  const context = { ...consentOf(ads), signal: { kind: 'conversion', profile, profile_consent } }
  const record = recordOf(context, { s: 'signal-1', b: { k: 'signal', n: 'signal signal-1', e: ['k'] } })
  const fields = mappingsOf('{{ profile.traits.email }}')[0]?.field_mappings
  const signals = new Map([['signal-1', { eventName: 'Purchase', testCode: '', fields }]])
  const result = check(record, { consentCategories: ['ads'], signals })
  expect(result).toHaveProperty('payload', { event_name: 'Purchase', ...expected })
})

it.each<[readonly string[], readonly string[]]>([
  [[], ['traits.email']],
  [['ads'], ['traits.email', 'consent']],
])('with the required categories %j, the mappings need %j', (consentCategories, needs) => {
  const entry = { consentCategories, mappings: mappingsOf('{{ profile.traits.email }}') }
  expect(gateOf(entry).needs).toEqual(needs)
  expect(gateOf({ ...entry, mappings: mappingsOf('{{ traits.email }}') }).needs).toEqual([])
})

it.each<[string, readonly string[], boolean | undefined, object]>([
  ['without required consent', [], undefined, { email: 'a@example.com' }],
  ['with the required consent', ['ads'], true, { email: 'a@example.com' }],
  ['without any consent', ['ads'], undefined, {}],
])('a conversion %s has values of its profile or not', (_, consentCategories, ads, expected) => {
  const profile = { traits: { email: 'a@example.com' } }
  const context = { ...consentOf(ads), signal: { kind: 'conversion', profile } }
  const record = recordOf(context, { s: 'signal-1', b: { k: 'signal', n: 'signal signal-1', e: ['k'] } })
  const fields = mappingsOf('{{ profile.traits.email }}')[0]?.field_mappings
  const signals = new Map([['signal-1', { eventName: 'Purchase', testCode: '', fields }]])
  const result = check(record, { consentCategories, signals })
  expect(result).toHaveProperty('payload', { event_name: 'Purchase', ...expected })
  // Conversions contain their values, so that nothing is kept with their deliveries.
  expect(result).not.toHaveProperty('profile')
})
