import { z } from 'zod'
import { line, storableText } from '../api/fields.ts'
import { eventTypes } from '../events/tracking.ts'
import { conditionList, conditionMatches, shortIdText } from '../rules/conditions.ts'

/**
 * Where the value of a target comes from: a place of the event, a fixed value, a delivery variable, Liquid, or the
 * profile. FIRST is the first of several sources, LIST a list of objects.
 */
export const mappingSourceTypes = ['FIELD', 'FIRST', 'LIST', 'CONSTANT', 'VARIABLE', 'TEMPLATE', 'PROFILE'] as const

export type MappingSourceType = (typeof mappingSourceTypes)[number]

/** The part of an event that a field belongs to; `custom` fields have names that users chose. */
export const fieldKinds = ['event', 'identity', 'property', 'trait', 'context', 'custom'] as const

export type FieldKind = (typeof fieldKinds)[number]

/** The type of a target. `datetime` is RFC 3339. */
export const targetTypes = ['string', 'number', 'boolean', 'object', 'array', 'datetime', 'any'] as const

export type TargetType = (typeof targetTypes)[number]

/** Limits of the mappings of one destination. */
export const mappingLimits = {
  eventMappings: 100,
  fieldMappings: 200,
  templateCharacters: 10_000,
  /** Maximum characters of all templates of a destination together. */
  templateCharactersTogether: 100_000,
  constantCharacters: 4000,
  /** Maximum sources of a FIRST source. */
  firstSources: 10,
  /** Maximum fields of the items of a LIST source. */
  itemFields: 50,
  /** Maximum items that a LIST source makes. */
  items: 200,
} as const

const sourceBase = {
  display_name: line(200).default(''),
  is_event_name_key: z.boolean().default(false),
  kind: z.enum(fieldKinds).default('custom'),
}

const fieldSource = z.object({ type: z.literal('FIELD'), name: line(300).min(1, 'Required'), ...sourceBase })

const variableSource = z.object({ type: z.literal('VARIABLE'), name: line(100).min(1, 'Required'), ...sourceBase })

const constantSource = z.object({
  type: z.literal('CONSTANT'),
  value: z.union([storableText(mappingLimits.constantCharacters), z.number(), z.boolean()]),
  ...sourceBase,
})

const profileSource = z.object({ type: z.literal('PROFILE'), name: line(300).min(1, 'Required'), ...sourceBase })

/** A source that can stand in the list of a FIRST source. */
export const listedSource = z.discriminatedUnion('type', [fieldSource, variableSource, constantSource, profileSource], {
  error: 'A list of sources takes fields, variables, constants, and values of the profile',
})

export type ListedSource = z.infer<typeof listedSource>

/** The first source of the list that has a value counts. Absent values, null, and blank texts are no values. */
const firstSource = z.object({
  type: z.literal('FIRST'),
  sources: z
    .array(listedSource)
    .min(1, 'Add a source')
    .max(mappingLimits.firstSources, `At most ${mappingLimits.firstSources} sources`),
  ...sourceBase,
})

/** A value of each item of a LIST source. The path of a FIELD source begins at the item. */
const itemField = z.object({
  /** A path in the item that is made. */
  name: line(300).min(1, 'Required'),
  type: z.enum(targetTypes).default('any'),
  source: z.discriminatedUnion('type', [fieldSource, variableSource, constantSource, profileSource, firstSource], {
    error: 'An item takes fields, variables, constants, values of the profile, and the first of several',
  }),
})

export type ItemField = z.infer<typeof itemField>

/**
 * A list of objects: one for each object of the list at `list`. If that list is absent or empty, the object at `root` is
 * the only item; without a `root` there is then no list.
 */
const listSource = z.object({
  type: z.literal('LIST'),
  list: line(300).min(1, 'Required'),
  root: line(300).default(''),
  fields: z
    .array(itemField)
    .min(1, 'Add a field')
    .max(mappingLimits.itemFields, `At most ${mappingLimits.itemFields} fields`),
  ...sourceBase,
})

export type ListSource = z.infer<typeof listSource>

/**
 * The source of a value. FIELD has a path as in `conditions.ts`, VARIABLE one of `mappingVariables`, PROFILE a name as
 * in `profile-fields.ts`; CONSTANT and TEMPLATE have a value, FIRST a list of sources, LIST the fields of each item.
 */
export const mappingSource = z.discriminatedUnion('type', [
  fieldSource,
  variableSource,
  firstSource,
  listSource,
  constantSource,
  z.object({
    type: z.literal('TEMPLATE'),
    value: storableText(mappingLimits.templateCharacters).min(1, 'Required'),
    ...sourceBase,
  }),
  profileSource,
])

export type MappingSource = z.infer<typeof mappingSource>

/** A place in the payload of a destination's action. */
export const mappingTarget = z.object({
  /** A path in the payload, as in `conditions.ts`. */
  name: line(300).min(1, 'Required'),
  display_name: line(200).default(''),
  is_required: z.boolean().default(false),
  is_recommended: z.boolean().default(false),
  type: z.enum(targetTypes).default('any'),
  kind: z.enum(fieldKinds).default('custom'),
})

export type MappingTarget = z.infer<typeof mappingTarget>

/** One value of the payload: its source, and its target at the destination. */
export const fieldMapping = z.object({
  id: shortIdText,
  source: mappingSource,
  target: mappingTarget,
  enabled: z.boolean().default(true),
  /** The field is sent only for events that match these conditions; none if absent. */
  conditions: conditionList.optional(),
  condition_match: z.enum(conditionMatches).optional(),
})

export type FieldMapping = z.infer<typeof fieldMapping>

/** The events that an action of the destination runs for, and its payload. */
export const eventMapping = z.object({
  id: shortIdText,
  enabled: z.boolean().default(true),
  /** The event's name; empty for every name. */
  event_name: line(200).default(''),
  /** Type of the matching events; empty for every type. */
  event_type: z.enum([...eventTypes, '']).default(''),
  filters: conditionList.default([]),
  filter_match: z.enum(conditionMatches).default('all'),
  /** Name of the destination's action that runs. */
  destination: line(100).min(1, 'Required'),
  /** The values of the payload. An empty list sends the whole event, if the action supports that. */
  field_mappings: z
    .array(fieldMapping)
    .max(mappingLimits.fieldMappings, `At most ${mappingLimits.fieldMappings} fields`),
})

export type EventMapping = z.infer<typeof eventMapping>

/** The mappings of a destination in their order. Delivery uses the first enabled mapping that matches an event. */
export const eventMappings = z
  .array(eventMapping)
  .max(mappingLimits.eventMappings, `At most ${mappingLimits.eventMappings} mappings`)
