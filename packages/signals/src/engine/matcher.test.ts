import type { EventProfile } from '@tributary/connector-kit'
import type { PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import type { StoredDefinition } from '../read.ts'
import { type ConversionInput, isConversion, makeConversion, type ReadyPlatform } from './make.ts'
import { matcherOf } from './matcher.ts'
import { profileNeedsOfSignals } from './profile-use.ts'

const now = Date.UTC(2026, 10, 29)
const at = new Date(now - 60_000).toISOString()

const plan = { id: 'c001', field: 'profile.traits.plan', operator: 'equals', value: 'pro' }
const notFree = { ...plan, id: 'c002', operator: 'not_equals', value: 'free' }
const total = { id: 'c003', field: 'properties.total', operator: 'greater_than', value: '9' }

const definitionOf = (filters: object[], filter_match = 'all', refunds: object | null = null): StoredDefinition =>
  ({
    trigger: { type: 'events', events: [{ event_type: 'track', event_name: 'Order' }], filters, filter_match },
    value: { type: 'none' },
    event_id: { type: 'message_id' },
    conversion: { type: 'lead', custom_name: '' },
    refunds,
  }) as unknown as StoredDefinition

const eventOf = (properties: object, context: object = {}, event = 'Order'): PipelineEvent => ({
  eventId: 'e',
  messageId: 'm',
  type: 'track',
  event,
  properties: { ...properties },
  context: { ...context },
  test: false,
  receivedAt: at,
  timestamp: at,
})
const pro: EventProfile = { json: '{"traits":{"plan":"pro"}}', lacks: '' }

const inputOf = (definition: StoredDefinition, event: PipelineEvent, more: Partial<ConversionInput>) => ({
  signal: { id: 's', workspaceId: 'w', definition, platforms: [] },
  event,
  own: {},
  person: { kept: new Map(), withdrawnAt: undefined },
  origin: 'event' as const,
  options: { settings: { without_consent: 'send' as const, consent_path: 'context.consent.marketing' }, now },
  ...more,
})

/** Whether an event becomes a conversion, by the matcher and then by the profile. */
const converts = (definition: StoredDefinition, event: PipelineEvent, more: Partial<ConversionInput> = {}): boolean =>
  matcherOf(definition)(event) === 'event' && isConversion(inputOf(definition, event, more))

it.each<[string, object[], string, object, EventProfile | undefined, boolean]>([
  ['the condition on the profile holds', [plan], 'all', {}, pro, true],
  ['it does not hold', [plan], 'all', {}, { json: '{"traits":{"plan":"free"}}', lacks: '' }, false],
  ['the profile is absent', [plan], 'all', {}, undefined, false],
  ['the profile is absent, and the condition excludes a value', [notFree], 'all', {}, undefined, true],
  ['all conditions hold', [plan, total], 'all', { total: 10 }, pro, true],
  ['one of all does not hold', [plan, total], 'all', { total: 1 }, pro, false],
  ['only the condition on the event holds, and any counts', [plan, total], 'any', { total: 10 }, undefined, true],
  ['only the condition on the profile holds, and any counts', [plan, total], 'any', { total: 1 }, pro, true],
  ['none holds, and any counts', [plan, total], 'any', { total: 1 }, undefined, false],
])('an event is a conversion or not if %s', (_, filters, match, properties, profile, expected) => {
  expect(converts(definitionOf(filters, match), eventOf(properties), { profile })).toBe(expected)
})

it('an event that fails a condition of its own does not wait for its profile', () => {
  expect(matcherOf(definitionOf([plan, total]))(eventOf({ total: 1 }))).toBeUndefined()
  expect(matcherOf(definitionOf([plan]))(eventOf({}, {}, 'Other'))).toBeUndefined()
})

it('conditions count as needs of the signal, and others do not', () => {
  const needsOf = (...filters: object[]) =>
    profileNeedsOfSignals([{ definition: definitionOf(filters), platforms: [] }])
  expect(needsOf(total, { ...plan, field: 'profile.traits.plan.name' }, plan)).toEqual(['traits.plan'])
  expect(needsOf(total)).toEqual([])
})

it.each<[string, boolean | undefined, number | undefined, boolean]>([
  ['no consent and no withdrawal', undefined, undefined, true],
  ['no consent after a withdrawal', undefined, now - 3_600_000, false],
  ['consent after a withdrawal', true, now - 3_600_000, true],
  ['a denial', false, undefined, false],
])('conditions see the profile with %s, or they do not', (_, marketing, withdrawnAt, expected) => {
  const event = eventOf({}, marketing === undefined ? {} : { consent: { marketing } })
  const person = { kept: new Map(), withdrawnAt }
  expect(converts(definitionOf([plan]), event, { profile: pro, person })).toBe(expected)
})

it('an uploaded conversion, one of an audience, and a refund do not depend on the conditions', () => {
  const definition = definitionOf([plan])
  for (const origin of ['upload', 'audience', 'refund'] as const)
    expect(isConversion(inputOf(definition, eventOf({}), { origin }))).toBe(true)
})

describe('a destination that requires consent', () => {
  const platform = {
    destinationId: 'd',
    definition: {
      slug: 'stub',
      title: 'Stub',
      actions: [{ name: 'convert', targets: [] }],
      conversions: {
        platform: 'google_ads',
        action: 'convert',
        fields: {},
        identifiers: {},
        needs: [],
        maxAgeMs: { online: 86_400_000 },
      },
    },
    settings: { eventName: '', testCode: '', fields: undefined },
    destinationSettings: {},
    consentCategories: ['ads'],
  } as unknown as ReadyPlatform

  it.each<[string, object[], object, object, string]>([
    ['has the consent', [plan], {}, { ads: true }, ''],
    ['lacks it', [plan], {}, {}, 'no_consent'],
    ['lacks it, and meets the conditions without the profile', [notFree], {}, {}, ''],
  ])('gets a conversion by the profile or not if the event %s', (_, filters, properties, given, reason) => {
    const event = eventOf(properties, { consent: { categoryPreferences: given } })
    const input = inputOf(definitionOf(filters), event, { profile: pro })
    const signal = { ...input.signal, platforms: [platform] }
    expect(makeConversion({ ...input, signal }).platforms).toMatchObject([{ reason }])
  })
})
