import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, line, reference, storableText, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { nameWarnings } from '../audiences/query.ts'
import { eventTypes } from '../events/tracking.ts'
import { eventMapping, eventMappings, fieldKinds, fieldMapping, mappingTarget, targetTypes } from './event-mappings.ts'
import { personVariables } from './person-data.ts'

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
