import { type ConditionOperator, conditionOperators, type EventMapping, eventMappings } from '@tributary/contract'
import { expect, it } from 'vitest'
import { compileMappings } from './compile.ts'
import { profileLacks } from './event-profile.ts'
import { mappingProblems } from './problems.ts'
import { actionOf, definitionOf, eventOf, targetOf } from './testing-mappings.ts'

const definition = definitionOf([actionOf('do', { targets: [targetOf('email'), targetOf('note')] })])
const place = { workspaceId: 'w1', destinationId: 'd1' }
const email = { type: 'CONSTANT', value: 'a@example.com' }

type Given = {
  operator: ConditionOperator
  value: string
  field?: string
}
const conditionOf = ({ field = 'profile.traits.x', operator, value }: Given, id = 'c001') => [
  { id, field, operator, value: operator === 'exists' || operator === 'not_exists' ? '' : value },
]
const filteredBy = (filters: object[], more: object = {}): EventMapping[] =>
  eventMappings.parse([
    {
      id: 'aaaa',
      destination: 'do',
      filters,
      field_mappings: [{ id: 'f001', source: email, target: { name: 'email' } }],
      ...more,
    },
  ])
const sentOnlyIf = (conditions: object[]): EventMapping[] =>
  eventMappings.parse([
    {
      id: 'aaaa',
      destination: 'do',
      field_mappings: [
        { id: 'f001', source: email, target: { name: 'email' } },
        { id: 'f002', source: { type: 'CONSTANT', value: 'n' }, target: { name: 'note' }, conditions },
      ],
    },
  ])
const knownAs = (profile: object) => ({ json: JSON.stringify(profile), lacks: '' })
const map = (mappings: EventMapping[], profile = knownAs({}), properties: object = {}) =>
  compileMappings(definition, mappings, place)(eventOf({ properties } as object), 's1', undefined, profile)

const isNumeral = (value: unknown): boolean => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)

/** Whether a value meets a condition, as the documentation says it. */
const plainly = (found: unknown, operator: ConditionOperator, value: string): boolean => {
  if (operator === 'exists' || operator === 'not_exists') return (found == null) === (operator === 'not_exists')
  if (operator.startsWith('not_')) return !plainly(found, operator === 'not_equals' ? 'equals' : 'contains', value)
  if (found == null) return false
  const text = (of: unknown) => (typeof of === 'string' ? of : JSON.stringify(of))
  const same = (of: unknown) => text(of) === value || (typeof of === 'number' && isNumeral(value) && of === +value)
  if (operator === 'equals') return same(found)
  if (operator === 'contains') return Array.isArray(found) ? found.some(same) : text(found).includes(value)
  if (operator === 'starts_with') return text(found).startsWith(value)
  if (operator === 'ends_with') return text(found).endsWith(value)
  const isNumber = (typeof found === 'number' || isNumeral(found)) && isNumeral(value)
  if (!isNumber && typeof found !== 'string') return false
  const [left, right] = isNumber ? [Number(found), Number(value)] : [found as string, value]
  return operator === 'greater_than' ? left > right : left < right
}

const kinds: readonly [string, unknown][] = [
  ['a text', 'pro'],
  ['a text of a number', '10'],
  ['a text with spaces', ' Pro plan '],
  ['a whole number', 10],
  ['a decimal', 9.5],
  ['zero', 0],
  ['true', true],
  ['false', false],
  ['a list of texts', ['pro', 'free']],
  ['a list of numbers', [9, 10]],
  ['an empty list', []],
  ['an object', { plan: 'pro' }],
  ['null', null],
  ['nothing', undefined],
]
const compared = ['pro', '10', '9.5', 'true', 'false', 'p', 'free']
const operators = conditionOperators.map((operator) => [operator] as const)

it.each(operators)(
  '%s compares values of the profile as a plain evaluator does, and as fields of the event',
  (operator) => {
    for (const [kind, x] of kinds)
      for (const value of compared) {
        const about = `${kind} ${operator} ${value}`
        const expected = plainly(x, operator, value) ? 'mapped' : 'unmapped'
        const profile = knownAs({ traits: { x } })
        expect(map(filteredBy(conditionOf({ operator, value })), profile).kind, about).toBe(expected)
        const ofEvent = filteredBy(conditionOf({ operator, value, field: 'properties.x' }))
        expect(map(ofEvent, undefined, { x }).kind, about).toBe(expected)
        const sent = map(sentOnlyIf(conditionOf({ operator, value })), profile)
        expect('payload' in sent && 'note' in (sent.payload ?? {}), about).toBe(expected === 'mapped')
      }
  },
)

const audience = '0198c5f2-0000-7000-8000-000000000001'
it.each<[string, object, string, string]>([
  ['a part of a trait', { traits: { address: { city: 'Köln' } } }, 'profile.traits.address.city', 'Köln'],
  ['an item of a list', { traits: { tags: ['a', 'b'] } }, 'profile.traits.tags[1]', 'b'],
  ['a name with a dot', { traits: { 'a.b': 1 } }, 'profile.traits["a.b"]', '1'],
  ['an identifier', { identifiers: { email: 'a@example.com' } }, 'profile.identifiers.email', 'a@example.com'],
  ['a member', { audiences: { [audience]: true } }, `profile.audiences.${audience}`, 'true'],
  ['no member', { audiences: { [audience]: false } }, `profile.audiences.${audience}`, 'false'],
])('a condition compares %s', (_, profile, field, value) => {
  const mappings = filteredBy(conditionOf({ field, operator: 'equals', value }))
  expect(map(mappings, knownAs(profile)).kind).toBe('mapped')
  expect(map(mappings, knownAs({})).kind).toBe('unmapped')
})

it('conditions on the event and on the profile hold together or one of them, as chosen', () => {
  const filters = [
    ...conditionOf({ field: 'properties.x', operator: 'equals', value: '1' }, 'c001'),
    ...conditionOf({ operator: 'equals', value: '2' }, 'c002'),
  ]
  const kindsOf = (filter_match: string) =>
    [{ x: 1 }, { x: 0 }].flatMap((properties) =>
      [{ x: 2 }, { x: 0 }].map(
        (traits) => map(filteredBy(filters, { filter_match }), knownAs({ traits }), properties).kind === 'mapped',
      ),
    )
  expect(kindsOf('all')).toEqual([true, false, false, false])
  expect(kindsOf('any')).toEqual([true, true, true, false])
})

it('conditions count as needs of the mappings that use them, except those of disabled ones', () => {
  const filters = conditionOf({ field: 'profile.traits.address.city', operator: 'exists', value: '' })
  const needsOf = (mappings: EventMapping[]) => compileMappings(definition, mappings, place).needs
  expect(needsOf(filteredBy(filters))).toEqual(['traits.address'])
  expect(needsOf(sentOnlyIf(filters))).toEqual(['traits.address'])
  expect(needsOf(filteredBy(filters, { enabled: false }))).toEqual([])
  expect(needsOf(filteredBy(conditionOf({ field: 'traits.email', operator: 'exists', value: '' })))).toEqual([])
})

it('a result by conditions says why the profile had no values', () => {
  const lacking = { json: '{}', lacks: profileLacks.behind }
  const filters = conditionOf({ operator: 'equals', value: 'pro' })
  expect(map(filteredBy(filters), lacking)).toEqual({ kind: 'unmapped', lacks: 'profiles were behind' })
  expect(map(filteredBy(filters), knownAs({ traits: {} }))).toEqual({ kind: 'unmapped' })
  const otherwise = filteredBy(conditionOf({ operator: 'not_equals', value: 'pro' }))
  expect(map(otherwise, lacking)).toMatchObject({
    problems: [{ message: 'conditions of mappings: profiles were behind', severity: 'note', isListed: true }],
  })
  expect(map(sentOnlyIf(filters), lacking)).toMatchObject({
    payload: { email: 'a@example.com' },
    problems: [{ field: 'f002', message: '"note" is not sent by its conditions: profiles were behind' }],
  })
  // Another mapping's name does not match, so its conditions say nothing.
  expect(map(filteredBy(filters, { event_name: 'Other' }), lacking)).toEqual({ kind: 'unmapped' })
})

const message = 'Write each value of the profile with its whole name, such as profile.traits.email'
it.each(['profile', 'profile.traits', 'profile.email', 'profile.audiences.a.b', 'profile.identifiers.email.domain'])(
  'a mapping with a condition on %s cannot be saved',
  (field) => {
    const conditions = conditionOf({ field, operator: 'exists', value: '' })
    expect(mappingProblems(definition, filteredBy(conditions))).toEqual({
      'event_mappings.0.filters.0.field': message,
    })
    expect(mappingProblems(definition, sentOnlyIf(conditions))).toEqual({
      'event_mappings.0.field_mappings.1.conditions.0.field': message,
    })
  },
)
