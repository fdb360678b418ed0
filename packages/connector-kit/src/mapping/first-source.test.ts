import { defaultPersonDataPaths, type EventMapping, eventMappings, type PipelineEvent } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { compileMappings } from './compile.ts'
import { presetSourceOf } from './presets.ts'
import { mappingProblems } from './problems.ts'
import { signalMappings } from './signal-mappings.ts'
import { compilePresence, identifiersIn } from './signal-presence.ts'
import { actionOf, definitionOf, eventOf, targetOf } from './testing-mappings.ts'

const action = actionOf('do', {
  targets: [
    targetOf('email', { pii: 'email', type: 'string' }),
    targetOf('value', { type: 'number', required: true }),
    targetOf('note', { type: 'string' }),
  ],
})
const definition = definitionOf([action])
const place = { workspaceId: 'w1', destinationId: 'd1' }

const first = (...sources: object[]) => ({ type: 'FIRST', sources })
const field = (name: string) => ({ type: 'FIELD', name })
const mappingsOf = (fields: Readonly<Record<string, object>>): EventMapping[] =>
  eventMappings.parse([
    {
      id: 'aaaa',
      destination: 'do',
      field_mappings: Object.entries(fields).map(([name, source], index) => ({
        id: String(index).padStart(4, '0'),
        source,
        target: { name },
      })),
    },
  ])
const map = (source: object, properties: object, json?: string) =>
  compileMappings(definition, mappingsOf({ value: { type: 'CONSTANT', value: 1 }, own: source }), place)(
    eventOf({ properties } as Partial<PipelineEvent>),
    's1',
    json,
  )

describe('the first of several sources', () => {
  const three = first(field('properties.a'), field('properties.b'), { type: 'CONSTANT', value: 'none' })

  test.each([
    ['the first one that has a value', { a: 'one', b: 'two' }, 'one'],
    ['a later one in place of an absent one', { b: 'two' }, 'two'],
    ['a later one in place of null', { a: null, b: 'two' }, 'two'],
    ['a later one in place of a blank text', { a: ' \t', b: 'two' }, 'two'],
    ['a constant at the end', { a: '', b: null }, 'none'],
    ['false, which is a value', { a: false, b: 'two' }, false],
    ['zero, which is a value', { a: 0, b: 'two' }, 0],
    ['an empty list, which is a value', { a: [], b: 'two' }, []],
    ['an object', { a: { x: 1 } }, { x: 1 }],
  ])('is %s', (_, properties, value) => {
    expect(map(three, properties)).toMatchObject({ kind: 'mapped', payload: { own: value }, problems: [] })
  })

  test('is a variable, too', () => {
    expect(map(first(field('properties.a'), { type: 'VARIABLE', name: 'message_id' }), {})).toMatchObject({
      payload: { own: 'm1' },
    })
  })

  test('is omitted if no source has a value, and fails a required field', () => {
    expect(map(first(field('properties.a'), field('properties.b')), { a: null })).toMatchObject({
      payload: { value: 1 },
      problems: [],
    })
    const mapper = compileMappings(definition, mappingsOf({ value: first(field('properties.a')) }), place)
    expect(mapper(eventOf({}), 's1')).toMatchObject({
      kind: 'failed',
      reason: '"value" is required, but none of its sources has a value',
    })
  })

  test('of another type than the target is a problem, and later sources are not read', () => {
    const mapper = compileMappings(
      definition,
      mappingsOf({ value: first(field('properties.a'), { type: 'CONSTANT', value: 1 }) }),
      place,
    )
    expect(mapper(eventOf({ properties: { a: 'twelve' } }), 's1')).toMatchObject({
      reason: '"value": the first value of its sources is text that is not a number',
    })
  })

  test('keeps all digits of a number', () => {
    const event = eventOf({ properties: { a: Number('12345678901234567890') } })
    const json = JSON.stringify(event).replace('12345678901234567000', '12345678901234567890')
    const mapper = compileMappings(definition, mappingsOf({ value: first(field('properties.a')) }), place)
    const made = mapper(event, 's1', json)
    expect(JSON.stringify('payload' in made ? made.payload : made)).toBe('{"value":12345678901234567890}')
  })
})

describe('the check of a list of sources', () => {
  const problems = (source: object) => mappingProblems(definition, mappingsOf({ value: source, note: source }))

  test('names each wrong source by its position', () => {
    const source = first(field('a..b'), { type: 'VARIABLE', name: 'nothing' }, { type: 'CONSTANT', value: 'x' })
    expect(problems(source)).toEqual({
      'event_mappings.0.field_mappings.0.source.sources.0.name': "A path can't have empty names",
      'event_mappings.0.field_mappings.0.source.sources.1.name': 'There is no variable "nothing"',
      'event_mappings.0.field_mappings.0.source.sources.2.value': 'The constant is text that is not a number',
      'event_mappings.0.field_mappings.1.source.sources.0.name': "A path can't have empty names",
      'event_mappings.0.field_mappings.1.source.sources.1.name': 'There is no variable "nothing"',
    })
  })

  test.each([
    ['no source', first(), 'Add a source'],
    ['eleven sources', first(...Array.from({ length: 11 }, () => field('a'))), 'At most 10 sources'],
    [
      'a list in a list',
      first(first(field('a'))),
      'A list of sources takes fields, variables, constants, and values of the profile',
    ],
    [
      'a template in a list',
      first({ type: 'TEMPLATE', value: '{{ a }}' }),
      'A list of sources takes fields, variables, constants, and values of the profile',
    ],
  ])('refuses %s', (_, source, message) => {
    const refused = eventMappings.safeParse([
      { id: 'aaaa', destination: 'do', field_mappings: [{ id: '0000', source, target: { name: 'note' } }] },
    ])
    expect(refused.error?.issues.map((issue) => issue.message).join()).toContain(message)
  })
})

test('a preset can have a list of sources', () => {
  const made = presetSourceOf({ type: 'FIRST', sources: [{ type: 'FIELD', name: 'traits.email' }] })
  expect(mappingsOf({ value: made })[0]?.field_mappings[0]?.source).toEqual(made)
})

test('a signal has an identifier exactly if the list of sources sends it', () => {
  const conversions = {
    action: 'do',
    platform: 'meta' as const,
    eventId: { target: 'event_id', pixelParameter: 'event_id' },
    maxAgeMs: { online: 1 },
    needs: [],
    identifiers: { email: { targets: ['email'], weight: 1 } },
    fields: {
      value: { type: 'CONSTANT', value: 1 },
      email: { type: 'FIRST', sources: [field('traits.email'), field('properties.email')] },
    },
  } as const
  const platform = { ...definition, conversions } as unknown as Parameters<typeof compilePresence>[0]
  const [mapping] = signalMappings(platform, { eventName: '', testCode: '', fields: undefined })
  const has = compilePresence(platform, { eventName: '', testCode: '', fields: undefined }, place)
  for (const properties of [
    { email: 'ada@example.com' },
    { email: ' ' },
    {},
    { email: 'none' },
    { email: ['x', 'a@b.co'] },
  ])
    for (const traits of [{}, { email: null }, { email: '' }, { email: 'none' }, { email: 'bea@example.com' }]) {
      const event = eventOf({ properties, traits } as Partial<PipelineEvent>)
      const made = compileMappings(
        platform,
        mapping === undefined ? [] : [{ ...mapping, filters: [] }],
        place,
      )(event, 's1')
      const sent = made.kind === 'mapped' && made.payload?.['email'] !== undefined
      expect([JSON.stringify({ properties, traits }), identifiersIn(has(event, 's1'))]).toEqual([
        JSON.stringify({ properties, traits }),
        sent ? ['email'] : [],
      ])
    }
})

test.each<[string, string, Partial<PipelineEvent>]>([
  ["a person's variable", '{{ user_email }}', { properties: { mail: 'a@example.com' } }],
  [
    "a person's variable or a field",
    '{{ user_email | default: properties.other }}',
    { properties: { mail: 'a@b.co' } },
  ],
  ["a field or a person's variable", '{{ traits.x | default: user_email }}', { properties: { mail: 'a@b.co' } }],
  ['the name of the event', '{{ properties.email | default: event_name }}', { event: 'a@example.com' }],
])('a signal has an identifier that a template reads from %s', (_, value, more) => {
  const conversions = {
    action: 'do',
    identifiers: { email: { targets: ['email'], weight: 1 } },
    fields: { email: { type: 'TEMPLATE', value } },
  }
  const platform = { ...definition, conversions } as unknown as Parameters<typeof compilePresence>[0]
  const personData = { ...defaultPersonDataPaths, email: ['properties.mail'] }
  const settings = { eventName: '', testCode: '', fields: undefined }
  const has = compilePresence(platform, settings, { ...place, personData })
  expect(identifiersIn(has(eventOf(more), 's1'))).toEqual(['email'])
  expect(identifiersIn(has(eventOf({}), 's1'))).toEqual([])
})
