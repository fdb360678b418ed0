import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, line, reference, storableText, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { nameWarnings } from '../audiences/query.ts'
import { eventTypes } from '../events/tracking.ts'
import { conditionList, conditionMatches, shortIdText } from '../rules/conditions.ts'
import { personVariables } from './person-data.ts'

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

/** Liquid filters in the template editor; the engine supports more. */
export const offeredFilters = [
  'append',
  'prepend',
  'capitalize',
  'downcase',
  'upcase',
  'ceil',
  'floor',
  'plus',
  'date',
] as const

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

/** The variables of an event and its delivery. */
const eventVariables = [
  { name: 'event_id', display_name: 'Event ID' },
  { name: 'message_id', display_name: 'Message ID' },
  { name: 'event_name', display_name: 'Event name' },
  { name: 'event_type', display_name: 'Event type' },
  { name: 'user_key', display_name: 'User ID or anonymous ID' },
  { name: 'timestamp', display_name: 'Event time' },
  { name: 'timestamp_seconds', display_name: 'Event time, seconds since 1970' },
  { name: 'timestamp_milliseconds', display_name: 'Event time, milliseconds since 1970' },
  { name: 'received_at', display_name: 'Received time' },
  { name: 'workspace_id', display_name: 'Workspace ID' },
  { name: 'source_id', display_name: 'Source ID' },
  { name: 'destination_id', display_name: 'Destination ID' },
] as const

/** The possible names of a VARIABLE source. */
export const mappingVariables = [...eventVariables, ...personVariables]
export type MappingVariable = (typeof mappingVariables)[number]['name']

/** The values that a field accepts; empty if it accepts others. */
const choices = z.array(z.object({ value: z.string(), label: z.string() }))

/** Something a destination can do with an event. */
export const destinationAction = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  targets: z.array(
    mappingTarget.extend({
      help_text: z.string(),
      /** How personal data is hashed before it is sent, or ''. */ pii: z.string(),
      choices,
      /** Whether the target names a list of people of the platform. Servers of an earlier version do not send it. */
      is_people_list: z.boolean().default(false),
      /** The fields of an object, or of each item of a list. Others can be mapped, too. */
      fields: z.array(
        z.object({
          name: z.string(),
          display_name: z.string(),
          help_text: z.string(),
          type: z.enum(targetTypes),
          is_required: z.boolean(),
          choices,
        }),
      ),
    }),
  ),
  /** Whether users can add further targets. */
  custom_targets: z.boolean(),
  /** Whether the action sends the whole event if there are no field mappings. */
  whole_event: z.boolean(),
  /** The event types that the action supports; empty for all types. */
  event_types: z.array(z.enum(eventTypes)),
})
export type DestinationAction = z.infer<typeof destinationAction>

/** The mappings of a destination with the actions, targets and fields to choose from. */
export const destinationMappings = z.object({
  /** `{destination}/mappings`. */
  name: z.string(),
  /** True while the destination uses the presets of its app. */
  is_preset: z.boolean(),
  /** Increases with each change. */
  revision: z.number().int(),
  event_mappings: eventMappings,
  /** Presets that the app got after the destination, and that it does not use. `mappings.addPresets` adds them. */
  new_presets: z.array(eventMapping.pick({ event_name: true, event_type: true, destination: true })),
  /** Whether an enabled mapping uses values of the profile. */
  uses_profile: z.boolean(),
  actions: z.array(destinationAction),
  variables: z.array(z.object({ name: z.string(), display_name: z.string() })),
  /** Names in the mappings that were never received. Present in responses to a save. */
  warnings: nameWarnings,
})
export type DestinationMappings = z.infer<typeof destinationMappings>

/** An event to try a mapping with: a stored one by its name, one as JSON text, or the latest that matches. */
const trial = z.object({
  event_mapping: eventMapping,
  event: reference.optional(),
  payload: storableText(100_000).optional(),
})

/** The payload that a mapping creates from an event. */
const mapped = z.object({
  /** The event as JSON text, and its origin; null if there is no event to try. */
  event: z
    .object({ name: z.string(), title: z.string(), receive_time: time.nullable(), payload: z.string() })
    .nullable(),
  /** False when the mapping does not match the event; `reason` says why. */
  fits: z.boolean(),
  reason: z.string(),
  /** The payload of the action, as JSON text; empty if the mapping creates none. */
  payload: z.string(),
  /**
   * Problems of single fields, by the ID of the field mapping, or by the name of a required target without one. An
   * `error` prevents sending or saving, a `note` does not.
   */
  problems: z.array(z.object({ field: z.string(), message: z.string(), severity: z.enum(['error', 'note']) })),
})
export type TriedMapping = z.infer<typeof mapped>

const mappingPreview = mapped.extend({
  /** Names in the mapping that were never received. */
  warnings: nameWarnings,
})
export type MappingPreview = z.infer<typeof mappingPreview>

export const mappings = {
  get: defineMethod({
    name: 'mappings.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/mappings',
    access: workspaceMembers,
    summary: "Gets a destination's mappings, or its app's presets, with the available actions and fields.",
    response: destinationMappings,
    errors: [errors.notFound],
  }),
  update: defineMethod({
    name: 'mappings.update',
    verb: 'PUT',
    path: '/workspaces/{workspace}/destinations/{destination}/mappings',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary:
      "Replaces a destination's mappings; null resets them to its app's newest presets. Applies from the next event.",
    request: z.object({
      event_mappings: eventMappings.nullable(),
      /** The revision that the change is based on; without it, the last save wins. */
      revision: z.number().int().optional(),
    }),
    response: destinationMappings,
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: 'A mapping is invalid or misses a required target; metadata names it as `event_mappings.{i}.…`.',
      },
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'MAPPINGS_CHANGED', when: 'The mappings changed since `revision`.' },
    ],
    bodyLimit: 2 * 1024 * 1024,
  }),
  addPresets: defineMethod({
    name: 'mappings.addPresets',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/mappings:addPresets',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: "Adds the new presets of a destination's app, after its own mappings if it has some.",
    request: z.object({
      /** The revision that the change is based on; without it, the last save wins. */
      revision: z.number().int().optional(),
    }),
    response: destinationMappings,
    errors: [
      { code: 400, reason: 'VALIDATION', when: 'The destination would have too many mappings.' },
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'MAPPINGS_CHANGED', when: 'The mappings changed since `revision`.' },
    ],
  }),
  suggest: defineMethod({
    name: 'mappings.suggest',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/mappings:suggest',
    access: workspaceMembers,
    reads: true,
    summary:
      "Suggests field mappings for an action from the connected sources' schemas and recent events. Nothing is saved.",
    request: z.object({
      destination: line(100).min(1, 'Required'),
      event_name: line(200).default(''),
      event_type: z.enum([...eventTypes, '']).default(''),
    }),
    response: z.object({
      field_mappings: z.array(fieldMapping),
      /** The names that a FIELD source can have, from schemas and recent events. */
      fields: z.array(
        z.object({
          name: z.string(),
          display_name: z.string(),
          kind: z.enum(fieldKinds),
          type: z.string(),
          example: z.string(),
        }),
      ),
      /** Names of events of the sources. */
      events: z.array(z.object({ event_name: z.string(), event_type: z.string() })),
    }),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
  preview: defineMethod({
    name: 'mappings.preview',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/mappings:preview',
    access: workspaceEditors,
    reads: true,
    summary: "Previews a mapping's payload for an event. Nothing is saved or sent.",
    request: trial,
    response: mappingPreview,
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.unavailable],
  }),
  sendTest: defineMethod({
    name: 'mappings.sendTest',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/mappings:sendTest',
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Sends one test event to the destination with a mapping and returns the request and response. Not retried or logged as a delivery.',
    request: trial,
    response: mapped.extend({
      /** The outcome of the sent event. `retry`: a delivery would be retried. `none`: nothing was sent. */
      outcome: z.enum(['delivered', 'retry', 'rejected', 'none']),
      http_status: z.number().int(),
      latency_ms: z.number().int(),
      /** Without secrets. */
      request: z.string(),
      response: z.string(),
    }),
    errors: [
      errors.invalid,
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'SECRETS_UNREADABLE', when: 'Its secrets were encrypted with another secret key.' },
      errors.tooMany,
      errors.unavailable,
    ],
  }),
}
