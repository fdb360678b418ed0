import { expect, test } from 'vitest'
import { eventMapping, fieldMapping, mappingSource, mappingSourceTypes, mappingTarget } from './event-mappings.ts'

const source = { type: 'FIELD', name: 'event', display_name: 'Event', is_event_name_key: true, kind: 'event' }
const target = {
  name: 'em',
  display_name: 'Email',
  is_required: true,
  is_recommended: false,
  type: 'string',
  kind: 'identity',
}
const field = { id: 'a1B2', source, target, enabled: false }
const mapping = {
  id: 'zzzz',
  enabled: true,
  event_name: 'Order Completed',
  event_type: 'track',
  filters: [{ id: 'c001', field: 'properties.total', operator: 'greater_than', value: '10' }],
  filter_match: 'any',
  destination: 'send',
  field_mappings: [field],
}

test('MAP-01, MAP-02: a source is a FIELD or VARIABLE with a name, or a CONSTANT or TEMPLATE with a value', () => {
  expect(mappingSourceTypes).toEqual(expect.arrayContaining(['FIELD', 'CONSTANT', 'VARIABLE', 'TEMPLATE']))
  expect(mappingSource.options.map((option) => option.shape.type.value).toSorted()).toEqual(
    [...mappingSourceTypes].toSorted(),
  )
  const { name, type: _, ...rest } = source
  for (const type of ['FIELD', 'VARIABLE']) {
    expect(mappingSource.parse({ type, name, ...rest })).toEqual({ type, name, ...rest })
    expect(mappingSource.safeParse({ type, value: 'x', ...rest }).success).toBe(false)
  }
  for (const type of ['CONSTANT', 'TEMPLATE']) {
    expect(mappingSource.parse({ type, value: 'x', ...rest })).toEqual({ type, value: 'x', ...rest })
    expect(mappingSource.safeParse({ type, name, ...rest }).success).toBe(false)
  }
  expect(mappingSource.safeParse({ ...source, type: 'REGEX' }).success).toBe(false)
  expect(mappingSource.parse({ type: 'FIELD', name })).toEqual({
    type: 'FIELD',
    name,
    display_name: '',
    is_event_name_key: false,
    kind: 'custom',
  })
})

test('MAP-03: a target has a name, a label, required or recommended flags, a type, and a kind', () => {
  expect(mappingTarget.parse(target)).toEqual(target)
  expect(mappingTarget.parse({ name: 'em' })).toEqual({
    name: 'em',
    display_name: '',
    is_required: false,
    is_recommended: false,
    type: 'any',
    kind: 'custom',
  })
  for (const wrong of [{ name: '' }, { type: 'integer' }, { kind: 'other' }, { is_required: 'yes' }])
    expect(mappingTarget.safeParse({ ...target, ...wrong }).success).toBe(false)
})

test('MAP-04, MAP-05: a field mapping is enabled or disabled, and its ID has 4 characters', () => {
  expect(fieldMapping.parse(field)).toEqual(field)
  const { enabled: _, ...silent } = field
  expect(fieldMapping.parse(silent).enabled).toBe(true)
  for (const id of ['abc', 'abcde', '', 'ab-d'])
    expect(fieldMapping.safeParse({ ...field, id }).error?.issues[0]?.path).toEqual(['id'])
})

test("MAP-06: an event mapping has the name and type of its events, filters, and the destination's action", () => {
  expect(eventMapping.parse(mapping)).toEqual(mapping)
  const bare = eventMapping.parse({ id: 'zzzz', destination: 'send', field_mappings: [] })
  expect(bare).toEqual({
    id: 'zzzz',
    enabled: true,
    event_name: '',
    event_type: '',
    filters: [],
    filter_match: 'all',
    destination: 'send',
    field_mappings: [],
  })
  for (const wrong of [{ event_type: 'call' }, { destination: '' }, { filters: [{ id: 'c001' }] }, { id: 'zzz' }])
    expect(eventMapping.safeParse({ ...mapping, ...wrong }).success).toBe(false)
})
