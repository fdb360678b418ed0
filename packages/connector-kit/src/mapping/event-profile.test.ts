import type { MappingSource, PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import type { ActionTarget } from '../definition/definition.ts'
import { compileMappings } from './compile.ts'
import { conversionProfile, profileLacks, profileNeedsOf } from './event-profile.ts'
import { mappingProblems } from './problems.ts'

const base = { display_name: '', is_event_name_key: false, kind: 'custom' } as const
const profile = (name: string): MappingSource => ({ type: 'PROFILE', name, ...base })
const template = (value: string): MappingSource => ({ type: 'TEMPLATE', value, ...base })

const event: PipelineEvent = {
  eventId: '0-1-0',
  messageId: 'm-1',
  type: 'track',
  event: 'Order Completed',
  userId: 'u1',
  properties: { email: 'event@example.com' },
  context: {},
  test: false,
  receivedAt: '2026-01-01T00:00:00.000Z',
  timestamp: '2026-01-01T00:00:00.000Z',
}

const target = (name: string, required = false): ActionTarget => ({
  name,
  label: name,
  help: '',
  type: 'any',
  required,
  recommended: false,
  kind: 'identity',
})

const definition = (required: boolean) => ({
  slug: 'relay',
  title: 'Relay',
  presets: [],
  actions: [
    {
      name: 'send',
      title: 'Send',
      description: '',
      targets: [target('value', required)],
      customTargets: true,
      wholeEvent: false,
      eventTypes: [],
    },
  ],
})

const mappingOf = (source: MappingSource, required = false) => [
  {
    id: 'aaaa',
    enabled: true,
    event_name: '',
    event_type: '' as const,
    filters: [],
    filter_match: 'all' as const,
    destination: 'send',
    field_mappings: [
      {
        id: 'bbbb',
        enabled: true,
        source,
        target: {
          name: 'value',
          display_name: 'value',
          is_required: required,
          is_recommended: false,
          type: 'any' as const,
          kind: 'custom' as const,
        },
      },
    ],
  },
]

const mapperOf = (source: MappingSource, required = false) =>
  compileMappings(definition(required), mappingOf(source, required), { workspaceId: 'w', destinationId: 'd' })

const known = {
  json: '{"traits":{"email":"known@example.com","address":{"city":"Köln"},"score":12345678901234567890},"identifiers":{"phone":"+491701234567"},"audiences":{"a1":true}}',
  lacks: '',
}

const sent = (source: MappingSource, given = known) => {
  const mapping = mapperOf(source)(event, 's', undefined, given)
  return mapping.kind === 'mapped' ? JSON.stringify(mapping.payload) : mapping
}

describe('sources of the profile', () => {
  it.each([
    ['a trait', profile('traits.email'), '{"value":"known@example.com"}'],
    ['a part of a trait', profile('traits.address.city'), '{"value":"Köln"}'],
    ['all digits of a number', profile('traits.score'), '{"value":12345678901234567890}'],
    ['an identifier', profile('identifiers.phone'), '{"value":"+491701234567"}'],
    ['an audience', profile('audiences.a1'), '{"value":true}'],
    ['nothing for a name that is not there', profile('traits.name'), '{}'],
    ['nothing for a name of the prototype', profile('traits.constructor'), '{}'],
    [
      'the fallback of a template',
      template('{{ traits.email | default: profile.traits.email }}'),
      '{"value":"known@example.com"}',
    ],
    [
      'the field of the event first',
      template('{{ properties.email | default: profile.traits.email }}'),
      '{"value":"event@example.com"}',
    ],
    [
      'a text made of the profile',
      template('{% if profile.audiences.a1 %}{{ profile.traits["email"] | upcase }}{% endif %}'),
      '{"value":"KNOWN@EXAMPLE.COM"}',
    ],
  ])('give %s', (_, source, payload) => {
    expect(sent(source)).toBe(payload)
  })

  it('say why an optional field is not sent, and fail a required one', () => {
    const lacks = { json: '{}', lacks: profileLacks.behind }
    expect(mapperOf(profile('traits.email'))(event, 's', undefined, lacks)).toMatchObject({
      kind: 'mapped',
      problems: [{ message: '"value" is not sent: profiles were behind', severity: 'error' }],
    })
    expect(mapperOf(profile('traits.email'), true)(event, 's', undefined, lacks)).toMatchObject({
      kind: 'failed',
      reason: '"value" is required, but profiles were behind',
    })
    const both = template('{{ properties.email | default: profile.traits.email }}')
    expect(mapperOf(both)(event, 's', undefined, lacks)).toMatchObject({ kind: 'mapped', problems: [] })
  })
})

describe('the values that a mapping needs', () => {
  it.each<[MappingSource, string[]]>([
    [profile('traits.address.city'), ['traits.address']],
    [profile('audiences.a1'), ['audiences.a1']],
    [
      template('{{ profile.traits.email | default: profile.identifiers.email }}'),
      ['traits.email', 'identifiers.email'],
    ],
    [template(`{{ profile.traits['full name'] }}`), ['traits.full name']],
    [template('{{ profile.traits["a.b"] }}'), [String.raw`traits.a\.b`]],
    [template('{{ profile["traits"].email }}'), ['traits.email']],
    [template('{{ profile.traits["größe"] }}'), ['traits.größe']],
    [template('{% assign mail = profile.traits.email %}{{ mail }}'), ['traits.email']],
    [template('{% for profile in properties.items %}{{ profile.traits.a }}{% endfor %}'), []],
    [template('see profile.traits.email'), []],
    [template('{{ context.profile.traits.email }} {{ traits.email }} {{ myprofile.traits.email }}'), []],
    [{ type: 'FIELD', name: 'profile.traits.email', ...base }, []],
  ])('%j', (source, needs) => {
    expect(profileNeedsOf(source)).toEqual(needs)
  })

  it('are those of the enabled fields, and none without the profile', () => {
    expect(mapperOf(profile('traits.email')).needs).toEqual(['traits.email'])
    expect(mapperOf(template('{{ traits.email }}')).needs).toEqual([])
    const [mapping] = mappingOf(profile('traits.email'))
    if (mapping === undefined) throw new Error('there is a mapping')
    const off = { ...mapping, field_mappings: mapping.field_mappings.map((each) => ({ ...each, enabled: false })) }
    const mapper = compileMappings(definition(false), [off], { workspaceId: 'w', destinationId: 'd' })
    expect(mapper.needs).toEqual([])
  })

  it.each<[string, [string, '' | 'track' | 'identify', boolean, boolean][], boolean]>([
    ['a mapping of the same name and type', [['Order Completed', 'track', false, true]], true],
    ['a mapping of every event', [['', '', false, true]], true],
    ['a mapping of another name', [['Other', 'track', false, true]], false],
    ['a mapping of another type', [['', 'identify', false, true]], false],
    ['a mapping with conditions', [['', '', true, true]], true],
    [
      'a mapping behind one that always matches',
      [
        ['', '', false, false],
        ['', '', false, true],
      ],
      false,
    ],
    [
      'a mapping behind one with conditions',
      [
        ['', '', true, false],
        ['', '', false, true],
      ],
      true,
    ],
    [
      'a mapping behind one of another name',
      [
        ['Other', '', false, false],
        ['', '', false, true],
      ],
      true,
    ],
    ['a mapping without the profile', [['', '', false, false]], false],
    ['no mapping', [], false],
  ])('an event can use them by %s', (_, given, expected) => {
    const conditions = [{ id: 'c001', field: 'userId', operator: 'exists' as const, value: '' }]
    const mappings = given.flatMap(([event_name, event_type, isConditional, uses], index) =>
      mappingOf(uses ? profile('traits.email') : template('{{ userId }}')).map((each) => ({
        ...each,
        id: `m00${index}`,
        event_name,
        event_type,
        filters: isConditional ? conditions : [],
      })),
    )
    const mapper = compileMappings(definition(false), mappings, { workspaceId: 'w', destinationId: 'd' })
    expect(mapper.usesProfile(event)).toBe(expected)
  })

  it('are found in a long hostile template in linear time', () => {
    const before = process.threadCpuUsage()
    expect(profileNeedsOf(template(`${'profile.traits['.repeat(600)} ${'profile.'.repeat(100)}`))).toEqual([])
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(200)
  })
})

it.each([
  ['email', 'Begin with traits., identifiers. or audiences.'],
  ['traits', 'Write a name behind traits.'],
  ['identifiers.email.domain', 'identifiers have no fields inside'],
  ['properties.email', 'Begin with traits., identifiers. or audiences.'],
])('a mapping with %s of the profile cannot be saved', (name, message) => {
  expect(mappingProblems(definition(false), mappingOf(profile(name)))).toEqual({
    'event_mappings.0.field_mappings.0.source.name': message,
  })
})

it('a conversion has the values that its signal put into it', () => {
  const values = { traits: { email: 'known@example.com' } }
  expect(conversionProfile({ context: { signal: { profile: values } } })).toEqual({
    json: JSON.stringify(values),
    lacks: '',
  })
  for (const context of [{}, { signal: 1 }, { signal: { profile: 'x' } }])
    expect(conversionProfile({ context })).toEqual({ json: '{}', lacks: '' })
})

it.each([
  '{{ profile }}',
  '{% assign p = profile.traits %}{{ p.email }}',
  '{{ profile.traits[properties.name] }}',
  '{{ profile.other.email }}',
])('a template that reads the profile without a whole name cannot be saved: %s', (text) => {
  expect(mappingProblems(definition(false), mappingOf(template(text)))).toEqual({
    'event_mappings.0.field_mappings.0.source.value':
      'Write each value of the profile with its whole name, such as profile.traits.email',
  })
})

it('a list of sources uses the profile for an event without the value, and needs it', () => {
  const source: MappingSource = {
    type: 'FIRST',
    sources: [
      { type: 'FIELD', name: 'properties.mail', ...base },
      { type: 'PROFILE', name: 'traits.email', ...base },
    ],
    ...base,
  }
  const mapper = compileMappings(definition(false), mappingOf(source), { workspaceId: 'w', destinationId: 'd' })
  expect(mapper.needs).toEqual(['traits.email'])
  const known = { json: '{"traits":{"email":"ada@example.com"}}', lacks: '' }
  expect(mapper(event, 's', undefined, known)).toMatchObject({ payload: { value: 'ada@example.com' } })
  const lacking = mapper(event, 's', undefined, { json: '{}', lacks: profileLacks.behind })
  expect(lacking).toMatchObject({ problems: [{ message: '"value" is not sent: profiles were behind' }] })
})
