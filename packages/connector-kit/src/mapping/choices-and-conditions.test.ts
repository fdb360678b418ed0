import { type EventMapping, eventMappings, type PipelineEvent } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { compileMappings } from './compile.ts'
import { mappingProblems } from './problems.ts'
import { compilePresence, identifiersIn } from './signal-presence.ts'
import { actionOf, definitionOf, eventOf, targetOf } from './testing-mappings.ts'

const choices = [
  { value: 'website', label: 'Website' },
  { value: 'in_store', label: 'Store' },
]
const field = (name: string) => ({ type: 'FIELD', name })
const action = actionOf('do', {
  targets: [
    targetOf('place', { type: 'string', choices }),
    targetOf('source', { type: 'string', choices, isVital: true }),
    targetOf('id', { type: 'string', required: true }),
    targetOf('currency', { type: 'string', default: { setting: 'default_currency' } }),
    targetOf('email', { type: 'string', pii: 'email' }),
  ],
})
const definition = definitionOf([action])
const place = { workspaceId: 'w1', destinationId: 'd1', settings: { default_currency: 'EUR' } }

type Given = Readonly<Record<string, object>>
const mappingsOf = (fields: Given, more: Given = {}): EventMapping[] =>
  eventMappings.parse([
    {
      id: 'aaaa',
      destination: 'do',
      field_mappings: Object.entries({ id: { type: 'CONSTANT', value: 'i' }, ...fields }).map(
        ([name, source], index) => ({
          id: `000${index}`,
          source,
          target: { name },
          ...more[name],
        }),
      ),
    },
  ])
const off = { currency: { enabled: false } }
const map = (fields: Given, properties: object, more: Given = {}) =>
  compileMappings(
    definition,
    mappingsOf({ currency: field('x'), ...fields }, { ...off, ...more }),
    place,
  )(eventOf({ properties } as Partial<PipelineEvent>), 's1')

describe('the choices of a target', () => {
  test.each([
    ['website', 'website'],
    [' In_Store ', 'in_store'],
  ])('accept %j', (value, sent) => {
    expect(map({ place: field('properties.p') }, { p: value })).toMatchObject({
      payload: { place: sent },
      problems: [],
    })
  })

  test.each(['', ' ', null, undefined])('take %j for absent', (value) => {
    expect(map({ place: field('properties.p') }, { p: value })).toMatchObject({ kind: 'mapped', payload: { id: 'i' } })
  })

  test('leave another value out, and say so', () => {
    for (const p of ['shop', 5, true, ['website', 'shop'], 'website '.repeat(2000)])
      expect(map({ place: field('properties.p') }, { p })).toMatchObject({
        payload: { id: 'i' },
        problems: [{ message: '"place" is not sent: properties.p is none of website, in_store', severity: 'error' }],
      })
  })

  test('fail the event for a field that must not be left out', () => {
    expect(map({ source: field('properties.p') }, { p: 'shop' })).toMatchObject({
      kind: 'failed',
      reason: '"source" is not sent: properties.p is none of website, in_store',
    })
    expect(map({ source: field('properties.p') }, {})).toMatchObject({ kind: 'mapped' })
  })

  test('refuse another constant when it is saved, also in a list of sources', () => {
    const wrong = { type: 'CONSTANT', value: 'shop' }
    const given = { place: wrong, source: { type: 'FIRST', sources: [field('a'), wrong] } }
    expect(mappingProblems(definition, mappingsOf(given))).toEqual({
      'event_mappings.0.field_mappings.1.source.value': 'The constant is none of website, in_store',
      'event_mappings.0.field_mappings.2.source.sources.1.value': 'The constant is none of website, in_store',
    })
    expect(mappingProblems(definition, mappingsOf({ place: { type: 'CONSTANT', value: 'WEBSITE' } }))).toEqual({})
  })
})

describe('the conditions of a field', () => {
  const when = (...values: string[]) => ({
    conditions: values.map((value, at) => ({ id: `c00${at}`, field: 'properties.plan', operator: 'equals', value })),
  })
  const given = { own: field('properties.own') }

  test('send the field only for events that match', () => {
    expect(map(given, { own: 1, plan: 'pro' }, { own: when('pro') })).toMatchObject({ payload: { own: 1 } })
    expect(map(given, { own: 1, plan: 'free' }, { own: when('pro') })).toEqual({
      kind: 'mapped',
      action: 'do',
      payload: { id: 'i' },
      problems: [],
    })
  })

  test('must all match, or any of them', () => {
    const both = when('pro', 'free')
    expect(map(given, { own: 1, plan: 'pro' }, { own: both })).toMatchObject({ payload: { id: 'i' } })
    expect(map(given, { own: 1, plan: 'pro' }, { own: { ...both, condition_match: 'any' } })).toMatchObject({
      payload: { own: 1 },
    })
  })

  test('of an unmatched field keep its default and its problems away', () => {
    const fields = { currency: field('properties.c'), place: field('properties.p') }
    const more = { currency: { enabled: true, ...when('pro') }, place: when('pro') }
    expect(map(fields, { p: 'shop' }, more)).toMatchObject({ payload: { id: 'i' }, problems: [] })
    expect(map(fields, { p: 'website', plan: 'pro' }, more)).toMatchObject({
      payload: { place: 'website', currency: 'EUR' },
    })
  })

  test('are refused for a required field, with a wrong path, and with the same ID', () => {
    const [one] = when('pro').conditions
    const wrong = [one, { ...one, field: 'a..b' }]
    expect(mappingProblems(definition, mappingsOf(given, { id: when('pro'), own: { conditions: wrong } }))).toEqual({
      'event_mappings.0.field_mappings.0.conditions': 'A required field cannot have conditions',
      'event_mappings.0.field_mappings.1.conditions.1.field': "A path can't have empty names",
      'event_mappings.0.field_mappings.1.conditions.1.id': 'Another condition has this id',
    })
    expect(map(given, {}, { id: when('pro') })).toMatchObject({
      kind: 'failed',
      reason: '"id" is required, but its conditions are not met',
    })
  })

  test('decide which identifiers a signal has', () => {
    const conversions = {
      action: 'do',
      platform: 'meta',
      eventId: { target: 'event_id', pixelParameter: 'event_id' },
      maxAgeMs: { online: 1 },
      needs: [],
      identifiers: { email: { targets: ['email'], weight: 1 } },
      fields: {},
    }
    const platform = { ...definition, conversions } as unknown as Parameters<typeof compilePresence>[0]
    const [mapping] = mappingsOf({ email: field('properties.email') }, { email: when('pro') })
    const has = compilePresence(platform, { eventName: '', testCode: '', fields: mapping?.field_mappings }, place)
    const known = (plan: string) =>
      identifiersIn(has(eventOf({ properties: { email: 'ada@example.com', plan } }), 's1'))
    expect([known('pro'), known('free')]).toEqual([['email'], []])
  })
})
