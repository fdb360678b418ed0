import { expect, it } from 'vitest'
import type { ActionDefinition, MappingPreset } from '../definition/definition.ts'
import { newPresetMappings, presetMappings } from './presets.ts'

const action: ActionDefinition = {
  name: 'send',
  title: 'Send',
  description: '',
  targets: [],
  customTargets: true,
  wholeEvent: true,
  eventTypes: [],
}
const preset = (eventName: string, since?: number): MappingPreset => ({
  action: 'send',
  eventName,
  fields: {},
  ...(since === undefined ? {} : { since }),
})
const definitionOf = (...presets: MappingPreset[]) => ({ slug: 'shop', actions: [action], presets })
const names = (mappings: readonly { event_name: string }[]) => mappings.map(({ event_name }) => event_name)

const first = preset('Order Completed')
const later = preset('Page', 2)
const definition = definitionOf(later, first)

it('a destination has the presets of its version, a new one has all', () => {
  expect(names(presetMappings(definition, 1))).toEqual(['Order Completed'])
  expect(names(presetMappings(definition, 2))).toEqual(['Page', 'Order Completed'])
  expect(presetMappings(definition)).toEqual(presetMappings(definition, 2))
})

it('a preset keeps its ID when presets are added', () => {
  const before = presetMappings(definitionOf(first), 1)
  expect(presetMappings(definition, 1)).toEqual(before)
  expect(presetMappings(definition, 2)).toEqual(expect.arrayContaining(before))
})

it('a preset keeps its ID when a narrower one for the same events is added before it', () => {
  const narrow: MappingPreset = {
    ...preset('Order Completed', 2),
    conditions: [{ field: 'properties.total', operator: 'exists', value: '' }],
  }
  const [before] = presetMappings(definitionOf(first), 1)
  const [added, old] = presetMappings(definitionOf(narrow, first))
  expect(old).toEqual(before)
  expect(added?.id).not.toBe(before?.id)
  expect(newPresetMappings(definitionOf(narrow, first), 1, [before ?? { id: '' }])).toEqual([added])
})

it('new presets are those of later versions that are not among the own mappings', () => {
  expect(names(newPresetMappings(definition, 1))).toEqual(['Page'])
  expect(newPresetMappings(definition, 2)).toEqual([])
  const all = presetMappings(definition, 2)
  expect(newPresetMappings(definition, 1, presetMappings(definition, 1))).toEqual(newPresetMappings(definition, 1))
  expect(newPresetMappings(definition, 1, all)).toEqual([])
})

it('a destination has the fields of its version, and a field keeps its ID when fields are added', () => {
  const text = (name: string) => ({ type: 'FIELD', name }) as const
  const email = text('traits.email')
  const before = presetMappings(definitionOf({ action: 'send', fields: { email } }), 1)
  const wider = definitionOf({ action: 'send', fields: { city: { ...text('traits.city'), since: 2 }, email } })
  expect(presetMappings(wider, 1)).toEqual(before)
  const [now] = presetMappings(wider)
  expect(now?.field_mappings.map(({ target }) => target.name)).toEqual(['city', 'email'])
  expect(now?.field_mappings).toEqual(expect.arrayContaining(before[0]?.field_mappings ?? []))
  expect(JSON.stringify(now)).not.toContain('since')
  expect(newPresetMappings(wider, 1, before)).toEqual([])
})

it('a preset that is added to a destination of an earlier version has all fields', () => {
  const city = { type: 'FIELD', name: 'traits.city', since: 2 } as const
  const [added] = newPresetMappings(definitionOf(first, { ...later, fields: { city } }), 1)
  expect(added?.field_mappings).toHaveLength(1)
})
