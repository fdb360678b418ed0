import { type DestinationAction, type EventMapping, eventMapping, fieldMapping } from '@tributary/contract'
import { expect, test } from 'vitest'
import {
  changeWords,
  conditionFields,
  customTarget,
  emptySource,
  fieldRows,
  freeTargets,
  newField,
  newMapping,
  problemsOf,
  profileFields,
  refusedProblems,
  saved,
  sendable,
  withDuplicate,
  withMoved,
} from './mapping-draft.ts'

const target = (name: string, part: Partial<DestinationAction['targets'][number]> = {}) => ({
  ...customTarget(name),
  display_name: name.toUpperCase(),
  help_text: '',
  pii: '',
  choices: [],
  is_people_list: false,
  fields: [],
  ...part,
})

const action: DestinationAction = {
  name: 'track',
  title: 'Track',
  description: '',
  targets: [
    target('extra'),
    target('plan', { is_recommended: true }),
    target('id', { is_required: true }),
    target('other'),
  ],
  custom_targets: true,
  whole_event: false,
  event_types: ['track'],
}

const mapping = (part: Partial<EventMapping> = {}): EventMapping => ({ ...newMapping(action, []), ...part })
const given = { ...emptySource('FIELD'), type: 'FIELD', name: 'properties.id' } as const

test('MAP-02, MAP-03, MAP-06: a new mapping and its fields follow the contract, with IDs of 4 characters', () => {
  const made = mapping({ field_mappings: [newField(customTarget('a'), [], given)] })
  expect(eventMapping.parse(made)).toEqual(made)
  expect(made.id).toMatch(/^[0-9A-Za-z]{4}$/)
  expect(made).toMatchObject({ event_name: '', event_type: 'track', filters: [], destination: 'track' })
  expect(fieldMapping.parse(made.field_mappings[0])).toMatchObject({
    source: { type: 'FIELD', name: 'properties.id', display_name: '', is_event_name_key: false, kind: 'custom' },
    target: { name: 'a', display_name: '', is_required: false, is_recommended: false, type: 'any', kind: 'custom' },
    enabled: true,
  })
})

test('required targets come first, then recommended ones, then other mapped ones', () => {
  const own = newField(customTarget('mine'), [])
  const extra = newField(target('extra'), [own])
  const id = newField(target('id'), [own, extra], given)
  const rows = fieldRows(mapping({ field_mappings: [own, extra, id] }), action)
  expect(rows.map((row) => [row.target.name, row.field?.id])).toEqual([
    ['id', id.id],
    ['plan', undefined],
    ['mine', own.id],
    ['extra', extra.id],
  ])
  expect(freeTargets(mapping({ field_mappings: [extra] }), action).map(({ name }) => name)).toEqual(['other'])
})

test('a required target without a source prevents saving the mapping, with an error at its line', () => {
  expect(problemsOf(mapping(), action)).toEqual({ id: 'ID is required. Choose a value' })
  const field = newField(target('id', { is_required: true }), [], given)
  expect(problemsOf(mapping({ field_mappings: [field] }), action)).toEqual({})
  expect(problemsOf(mapping({ field_mappings: [{ ...field, enabled: false }] }), action)).toEqual({
    [field.id]: 'ID is required. Turn it on',
  })
  expect(problemsOf(mapping({ field_mappings: [{ ...field, source: emptySource('TEMPLATE') }] }), action)).toEqual({
    [field.id]: 'ID is required. Choose a value',
  })
})

test('an action that takes the whole event needs no fields, and a removed action cannot be saved', () => {
  expect(problemsOf(mapping(), { ...action, whole_event: true })).toEqual({})
  expect(problemsOf(mapping(), undefined)).toHaveProperty('action')
})

test('a field without a name and one that is mapped twice are reported', () => {
  const id = newField(target('id'), [], given)
  const nameless = newField(customTarget(''), [id], given)
  const one = newField(customTarget('a'), [id, nameless], given)
  const two = newField(customTarget('a'), [id, nameless, one], given)
  expect(problemsOf(mapping({ field_mappings: [id, nameless, one, two] }), action)).toEqual({
    [nameless.id]: 'Enter the target field',
    [two.id]: 'a is mapped twice',
  })
})

test('incomplete fields are not previewed, and optional fields without a source are not saved', () => {
  const filled = newField(customTarget('a'), [], given)
  const open = newField(customTarget('b'), [filled])
  const made = mapping({
    field_mappings: [filled, open],
    filters: [{ id: 'aaaa', field: 'type', operator: 'equals', value: '' }],
  })
  expect(sendable(made)).toEqual({ ...made, filters: [], field_mappings: [filled] })
  expect(saved(made)).toEqual({ ...made, field_mappings: [filled] })
})

test('a mapping moves one place and stops at the ends; its copy follows it with its own ID', () => {
  const list = ['aaaa', 'bbbb', 'cccc'].map((id) => mapping({ id }))
  const ids = (some: readonly EventMapping[]) => some.map(({ id }) => id)
  expect(ids(withMoved(list, 'aaaa', 1))).toEqual(['bbbb', 'aaaa', 'cccc'])
  expect(withMoved(list, 'aaaa', -1)).toBe(list)
  expect(withMoved(list, 'cccc', 1)).toBe(list)
  const copied = withDuplicate(list, 'bbbb')
  expect(ids(copied)).toEqual(['aaaa', 'bbbb', copied[2]?.id, 'cccc'])
  expect({ ...copied[2], id: 'bbbb' }).toEqual(list[1])
})

test("the server's errors are shown at the fields and conditions that they name", () => {
  const field = newField(customTarget('a'), [], given)
  const filter = { id: 'ffff', field: 'type', operator: 'equals', value: 'x' } as const
  const sent = [mapping({ id: 'aaaa' }), mapping({ id: 'bbbb', field_mappings: [field], filters: [filter] })]
  expect(
    refusedProblems(
      {
        'event_mappings.1.field_mappings.0.source.value': 'Error at a',
        'event_mappings.1.filters.0.field': "A path can't have empty names",
        'event_mappings.0.field_mappings': 'Map the required field "ID"',
        'event_mappings.0.destination': 'none such',
      },
      sent,
    ),
  ).toEqual({
    bbbb: { [field.id]: 'Error at a', ffff: "A path can't have empty names" },
    aaaa: { '': 'Map the required field "ID"', action: 'none such' },
  })
})

test('changes are summarized in a text', () => {
  const list = ['aaaa', 'bbbb', 'cccc'].map((id) => mapping({ id }))
  expect(changeWords(list, list)).toBe('')
  expect(changeWords(list, withMoved(list, 'aaaa', 1))).toBe('order changed')
  const [one, ...rest] = list
  expect(changeWords(list, [...rest, { ...mapping(), id: 'dddd' }])).toBe('1 mapping added, 1 mapping deleted')
  expect(changeWords(list, [{ ...mapping({ id: one?.id ?? '' }), enabled: false }, ...rest])).toBe('1 mapping changed')
})

test('the profile offers the traits of events, and usual identifiers, each once', () => {
  const field = (name: string) => ({ name, display_name: '', kind: 'trait', type: 'string', example: 'x' }) as const
  const offered = profileFields([
    field('traits.plan'),
    field('context.traits.plan'),
    field('context.traits.email'),
    field('properties.total'),
    field('traits'),
  ])
  expect(offered.map(({ name }) => name)).toEqual([
    'traits.plan',
    'traits.email',
    'traits.phone',
    'identifiers.user_id',
    'identifiers.email',
    'identifiers.phone',
  ])
})

test('conditions offer fields of events first, then values of the profile, and audiences by their titles', () => {
  const total = { name: 'properties.total', display_name: '', kind: 'property', type: 'number', example: '' } as const
  const offered = conditionFields([total], [{ name: 'workspaces/w1/audiences/a1', title: 'Buyers' }])
  expect(offered[0]).toBe(total)
  expect(offered.map(({ name }) => name)).toContain('profile.traits.email')
  expect(offered.at(-1)).toMatchObject({ name: 'profile.audiences.a1', display_name: 'Buyers' })
})
