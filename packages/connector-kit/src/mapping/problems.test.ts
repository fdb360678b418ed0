import { type EventMapping, eventMappings } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import type { ActionTarget, DestinationDefinition } from '../definition/definition.ts'
import { defineSettings, setting } from '../definition/setting.ts'
import { mappingProblems } from './problems.ts'

const target = (name: string, label: string, more: Partial<ActionTarget> = {}): ActionTarget => ({
  name,
  label,
  help: '',
  type: 'string',
  required: false,
  recommended: false,
  kind: 'custom',
  ...more,
})
const base = { description: '', eventTypes: [], title: 'Do it' }
const settings = defineSettings({
  more: setting.toggle({ label: 'More', help: 'h', default: false }),
})
const definition: Pick<DestinationDefinition, 'title' | 'actions'> = {
  title: 'Example',
  actions: [
    {
      ...base,
      name: 'strict',
      targets: [
        target('em', 'Email', { required: true }),
        target('value', 'Value', { required: true, type: 'number' }),
        target('note', 'Note'),
      ],
      customTargets: false,
      wholeEvent: false,
    },
    {
      ...base,
      name: 'open',
      targets: [target('em', 'Email', { required: true })],
      customTargets: true,
      wholeEvent: true,
    },
  ],
}

const field = (name: string, source: object = { type: 'FIELD', name: 'userId' }, more: object = {}) => ({
  id: name
    .slice(0, 4)
    .replace(/[^0-9A-Za-z]/g, '0')
    .padEnd(4, '0'),
  source,
  target: { name },
  ...more,
})
const strict = (...more: object[]) => ({
  id: 'aaaa',
  destination: 'strict',
  field_mappings: [field('em'), field('value'), ...more],
})
const open = (...field_mappings: object[]) => ({
  id: 'aaaa',
  destination: 'open',
  field_mappings: [field('em'), ...field_mappings],
})
const problemsOf = (...given: object[]) => mappingProblems(definition, eventMappings.parse(given) as EventMapping[])

describe('valid mappings', () => {
  test.each<[string, object]>([
    ['all required targets are mapped', strict(field('note', { type: 'CONSTANT', value: '' }))],
    ['the event goes whole', { id: 'aaaa', destination: 'open', field_mappings: [] }],
    ['a target of the user', open(field('a.b'))],
    ['a template', open(field('a', { type: 'TEMPLATE', value: '{{ userId | upcase }}' }))],
    ['a variable', open(field('a', { type: 'VARIABLE', name: 'event_name' }))],
    ['a place of a list', open(field('a', { type: 'FIELD', name: 'properties.products[0].name' }))],
    ['a name in quotes, on both sides', open(field('a["x.y"]', { type: 'FIELD', name: 'properties[\'x.y\']["z"]' }))],
    ['brackets within names', open(field('a\\[]', { type: 'FIELD', name: 'properties.tags\\[]' }))],
  ])('%s', (_, mapping) => {
    expect(problemsOf(mapping)).toEqual({})
  })
})

describe('invalid mappings', () => {
  test.each<[string, object, Record<string, unknown>]>([
    ['an unknown action', { ...strict(), destination: 'gone' }, { destination: 'Example has no action "gone"' }],
    [
      'required targets that are not mapped',
      { ...strict(), field_mappings: [field('note')] },
      { field_mappings: 'Map the required fields "Email", "Value"' },
    ],
    [
      'a required target that is switched off',
      { ...strict(), field_mappings: [field('em'), field('value', undefined, { enabled: false })] },
      { field_mappings: 'Map the required field "Value"' },
    ],
    [
      'a required target, as soon as one field is mapped',
      { ...open(), field_mappings: [field('own')] },
      { field_mappings: 'Map the required field "Email"' },
    ],
    [
      'a target inside a hashed one',
      open(field('em.x')),
      { 'field_mappings.1.target.name': '"em.x" is inside "Email" (em), which has no fields of its own' },
    ],
    [
      'a target that the action has not',
      strict(field('own')),
      { 'field_mappings.2.target.name': 'Do it has no field "own"' },
    ],
    [
      'a target twice',
      open(field('em', undefined, { id: 'othr' })),
      { 'field_mappings.1.target.name': 'This field is mapped twice' },
    ],
    [
      'an id twice',
      open(field('own', undefined, { id: 'em00' })),
      { 'field_mappings.1.id': 'Another field has this id' },
    ],
    [
      'a bracket that is no place of a list',
      open(field('own', { type: 'FIELD', name: 'properties.tags[]' })),
      {
        'field_mappings.1.source.name':
          'Write a list index as items[0], a name with a dot as ["a.b"], and a bracket in a name as \\[',
      },
    ],
    [
      'a target in a list',
      open(field('items[0].name')),
      { 'field_mappings.1.target.name': "A list can't be mapped item by item. Map the whole list" },
    ],
    [
      'a target of empty names',
      open(field('a..b')),
      { 'field_mappings.1.target.name': "A path can't have empty names" },
    ],
    [
      'a target __proto__',
      open(field('a.__proto__.b')),
      { 'field_mappings.1.target.name': '"a.__proto__.b" is not a valid field name' },
    ],
    [
      'a field of empty names',
      open(field('a', { type: 'FIELD', name: 'properties.' })),
      { 'field_mappings.1.source.name': "A path can't have empty names" },
    ],
    [
      'an unknown variable',
      open(field('a', { type: 'VARIABLE', name: 'nope' })),
      { 'field_mappings.1.source.name': 'There is no variable "nope"' },
    ],
    [
      'a template that does not parse',
      open(field('a', { type: 'TEMPLATE', value: '{{ a' })),
      { 'field_mappings.1.source.value': expect.stringMatching(/^Error at >> 1\| \{\{ a\n/) },
    ],
    [
      'a constant of the wrong type',
      { ...strict(), field_mappings: [field('em'), field('value', { type: 'CONSTANT', value: 'many' })] },
      { 'field_mappings.1.source.value': 'The constant is text that is not a number' },
    ],
    [
      'an empty constant for a required target',
      { ...strict(), field_mappings: [field('em', { type: 'CONSTANT', value: '' }), field('value')] },
      { 'field_mappings.0.source.value': 'Required' },
    ],
    [
      'a condition on a path of empty names',
      { ...strict(), filters: [{ id: 'c001', field: 'a..b', operator: 'exists' }] },
      { 'filters.0.field': "A path can't have empty names" },
    ],
    [
      'two conditions of one id',
      { ...strict(), filters: [1, 2].map(() => ({ id: 'c001', field: 'a', operator: 'exists' })) },
      { 'filters.1.id': 'Another condition has this id' },
    ],
  ])('%s', (_, mapping, wanted) => {
    const first = Object.fromEntries(Object.entries(wanted).map(([key, text]) => [`event_mappings.0.${key}`, text]))
    expect(problemsOf(mapping)).toEqual(first)
  })

  test('invalid mappings have templates that exceed their total limit', () => {
    const templates = (index: number) =>
      open(
        ...Array.from({ length: 6 }, (_, n) =>
          field(`a${n}`, { type: 'TEMPLATE', value: 'x'.repeat(9999) }, { id: `t${n}${index}x` }),
        ),
      )
    expect(problemsOf(templates(0), { ...templates(1), id: 'bbbb' })).toEqual({
      event_mappings: 'Templates of at most 100000 characters together',
    })
    expect(problemsOf(templates(0))).toEqual({})
  })

  test('invalid mappings are reported at their position, and so are mappings with the same ID', () => {
    expect(problemsOf(strict(), { ...strict(), destination: 'gone' })).toEqual({
      'event_mappings.1.destination': 'Example has no action "gone"',
      'event_mappings.1.id': 'Another mapping has this id',
    })
  })
})

test('an enabled mapping of an action that needs a setting is valid only while the setting is on', () => {
  const [strict, open] = definition.actions
  if (strict === undefined || open === undefined) throw new Error('no actions')
  const needing = { ...definition, settings, actions: [strict, { ...open, needsSetting: 'more' }] }
  const mappings = (enabled: boolean) =>
    eventMappings.parse([
      {
        id: 'm001',
        event_name: '',
        event_type: '',
        enabled,
        filter_match: 'all',
        destination: 'open',
        filters: [],
        field_mappings: [],
      },
    ])
  expect(mappingProblems(needing, mappings(true), { more: false })).toEqual({
    'event_mappings.0.destination': '"Do it" needs "More": turn it on in the settings of the destination',
  })
  expect(mappingProblems(needing, mappings(true), { more: true })).toEqual({})
  expect(mappingProblems(needing, mappings(false), {})).toEqual({})
})
