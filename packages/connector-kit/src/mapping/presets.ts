import { createHash } from 'node:crypto'
import {
  type EventMapping,
  type FieldMapping,
  type ListedSource,
  type MappingSource,
  mappingVariables,
} from '@tributary/contract'
import type {
  ActionDefinition,
  ActionTarget,
  DestinationDefinition,
  MappingPreset,
  PresetSource,
} from '../definition/definition.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Creates unique IDs of 4 letters and digits, derived from names: the same names get the same IDs. */
export const createMappingIds = (): ((name: string) => string) => {
  const taken = new Set<string>()
  return (name: string): string => {
    for (let round = 0; ; round++) {
      const digest = createHash('sha256').update(`${name}#${round}`).digest()
      const id = [...digest.subarray(0, 4)].map((byte) => alphabet[byte % alphabet.length]).join('')
      if (taken.has(id)) continue
      taken.add(id)
      return id
    }
  }
}

/** Converts a connector's target to the form that a mapping stores. */
export const mappingTargetOf = (target: ActionTarget): FieldMapping['target'] => ({
  name: target.name,
  display_name: target.label,
  is_required: target.required,
  is_recommended: target.recommended,
  type: target.type,
  kind: target.kind,
})

const customTarget = (name: string): FieldMapping['target'] => ({
  name,
  display_name: name,
  is_required: false,
  is_recommended: false,
  type: 'any',
  kind: 'custom',
})

const listedSourceOf = (source: PresetSource): ListedSource => {
  const made = presetSourceOf(source)
  // A list of sources is one level deep.
  if (made.type === 'FIRST' || made.type === 'LIST' || made.type === 'TEMPLATE')
    throw new Error(`a list of sources has a ${made.type}`)
  return made
}

/** Returns the source of a preset in the form that a mapping stores. */
export const presetSourceOf = ({ type, name = '', value = '', sources = [] }: PresetSource): MappingSource => {
  const base = { is_event_name_key: name === 'event' || name === 'event_name', kind: 'custom' as const }
  switch (type) {
    case 'FIRST':
      return { type, sources: sources.map(listedSourceOf), display_name: '', ...base }
    case 'LIST':
      throw new Error('a preset has no list of objects: the connector makes it from the products')
    case 'FIELD':
    case 'PROFILE':
      return { type, name, display_name: name, ...base }
    case 'VARIABLE': {
      const known = mappingVariables.find((variable) => variable.name === name)
      return { type, name, display_name: known?.display_name ?? name, ...base }
    }
    case 'CONSTANT':
      return { type, value, display_name: String(value), ...base }
    case 'TEMPLATE':
      return { type, value: String(value), display_name: '', ...base }
  }
}

/** Returns the field mappings of an action; the IDs of the mappings are derived from `own` and the target. */
export const fieldMappingsOf = (
  { actions }: { actions: readonly ActionDefinition[] },
  { action, fields }: Pick<MappingPreset, 'action' | 'fields'>,
  own: string,
): FieldMapping[] => {
  const targets = actions.find(({ name }) => name === action)?.targets ?? []
  const fieldIds = createMappingIds()
  return Object.entries(fields).map(([name, source]) => {
    const target = targets.find((each) => each.name === name)
    return {
      id: fieldIds(`${own}/${name}`),
      source: presetSourceOf(source),
      target: target === undefined ? customTarget(name) : mappingTargetOf(target),
      enabled: true,
    }
  })
}

/** Returns the fields of a preset that a destination of a version has. */
const fieldsFor = ({ fields }: MappingPreset, version: number): MappingPreset['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([, { since = 1 }]) => since <= version))

const presetMapping = (
  { slug, actions }: { slug: string; actions: readonly ActionDefinition[] },
  preset: MappingPreset,
  { ids, version }: { ids: (name: string) => string; version: number },
): EventMapping => {
  const { action, eventName = '', eventType = '', conditions = [], enabled = true } = preset
  const fields = fieldsFor(preset, version)
  const conditionIds = createMappingIds()
  const own = `${slug}/${action}/${eventType}/${eventName}`
  return {
    id: ids(own),
    enabled,
    event_name: eventName,
    event_type: eventType,
    filters: conditions.map((condition) => ({ id: conditionIds(condition.field), ...condition })),
    filter_match: 'all',
    destination: action,
    field_mappings: fieldMappingsOf({ actions }, { action, fields }, own),
  }
}

/**
 * The current version of presets, which new destinations get. Version 1 is that of 0.2.0. A release that adds presets
 * increases it once, and these presets have it as `since`. So do new fields of earlier presets that overwrite what the
 * platform has stored.
 */
export const presetVersion = 2

type WithPresets = Pick<DestinationDefinition, 'slug' | 'actions' | 'presets'>

/**
 * Returns all presets of an app as mappings with the fields of a version, and the version that added each. Their IDs are
 * always the same.
 */
const versionedMappings = (definition: WithPresets, version: number): { since: number; mapping: EventMapping }[] => {
  const ids = createMappingIds()
  // Presets of earlier versions get their IDs first, so that these stay the same.
  const mappings = new Map(
    definition.presets
      .toSorted((one, other) => (one.since ?? 1) - (other.since ?? 1))
      .map((preset) => [preset, presetMapping(definition, preset, { ids, version })]),
  )
  return [...mappings]
    .toSorted(([one], [other]) => definition.presets.indexOf(one) - definition.presets.indexOf(other))
    .map(([{ since = 1 }, mapping]) => ({ since, mapping }))
}

/**
 * Returns the mappings of a destination that uses the presets of its app, with their IDs. Without `version`, they are
 * those of a new destination. A destination of an earlier version has neither later presets nor later fields.
 */
export const presetMappings = (definition: WithPresets, version: number = presetVersion): EventMapping[] =>
  versionedMappings(definition, version).flatMap(({ since, mapping }) => (since <= version ? [mapping] : []))

/**
 * Returns the presets that were added after a version and are not among a destination's own mappings, as mappings. A
 * preset and a mapping that was made from it have the same ID.
 */
export const newPresetMappings = (
  definition: WithPresets,
  version: number,
  own: readonly Pick<EventMapping, 'id'>[] = [],
): EventMapping[] => {
  const present = new Set(own.map(({ id }) => id))
  return versionedMappings(definition, presetVersion).flatMap(({ since, mapping }) =>
    since > version && !present.has(mapping.id) ? [mapping] : [],
  )
}
