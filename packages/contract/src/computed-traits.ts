import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from './api/access.ts'
import { empty, errors, line, maskQuery, nextPageToken, pageQuery, requestId, time } from './api/fields.ts'
import { defineMethod } from './api/method.ts'
import { attributeName, attributesWithDays, nameWarnings, selectedAttribute } from './audiences/query.ts'
import { profileSummary } from './profiles.ts'

/** The operations on the events of a profile. All except `count` use a property of the events. */
export const computedOperations = [
  'count',
  'sum',
  'average',
  'minimum',
  'maximum',
  'unique_count',
  'unique_values',
  'most_frequent',
  'first',
  'last',
] as const
export type ComputedOperation = (typeof computedOperations)[number]

/** The possible windows, in days. */
export const computedWindows = [7, 30, 90] as const

/**
 * Maximum computed traits of a workspace, conditions of a trait, values in all lists of the conditions, and profiles of
 * a preview.
 */
export const computedTraitLimits = { traits: 25, conditions: 10, values: 1000, sample: 10 } as const

/** The definition of a trait: how it is computed from events. */
export const computedTraitDefinition = z
  .object({
    /** The name of an event, or the type of a call without a name. */
    event: line(500).min(1, 'Required'),
    operation: z.enum(computedOperations),
    /** A property of the event, or a trait of an identify or group call; '' for `count`. */
    property: z.union([z.literal(''), attributeName]).default(''),
    /** The number of days before now; null for all stored events. */
    window_days: z.literal(computedWindows).nullable(),
    /** Conditions that the event's properties must all meet. */
    conditions: z
      .array(selectedAttribute)
      .max(computedTraitLimits.conditions, `At most ${computedTraitLimits.conditions} conditions`)
      .default([]),
  })
  .superRefine(({ operation, property, conditions }, context) => {
    // With these, values would change by time alone, in ways other than the window's.
    for (const [index, { operator }] of conditions.entries())
      if (operator === 'today' || attributesWithDays.has(operator))
        context.addIssue({
          code: 'custom',
          path: ['conditions', index, 'operator'],
          message: 'Choose a comparison that does not depend on the current date',
        })
    if (conditions.reduce((sum, { values }) => sum + values.length, 0) > computedTraitLimits.values)
      context.addIssue({
        code: 'custom',
        path: ['conditions'],
        message: `At most ${computedTraitLimits.values} values in all lists`,
      })
    if (operation !== 'count' && property === '')
      context.addIssue({ code: 'custom', path: ['property'], message: 'Required' })
    if (operation === 'count' && property !== '')
      context.addIssue({
        code: 'custom',
        path: ['property'],
        message: 'A count has no property. Add a condition instead',
      })
  })
export type ComputedTraitDefinition = z.infer<typeof computedTraitDefinition>

/**
 * `computing` until all profiles are computed by the present definition; `failed` if the computation takes too much
 * work.
 */
export const computedTraitStates = ['computing', 'live', 'failed'] as const
export type ComputedTraitState = (typeof computedTraitStates)[number]

/** A row of the list of computed traits. */
export const computedTraitSummary = z.object({
  /** `workspaces/{id}/computedTraits/{id}`. */
  name: z.string(),
  /** The name of the trait on profiles. */
  trait: z.string(),
  definition: computedTraitDefinition,
  /** Increases with each change of the definition. */
  version: z.number().int(),
  state: z.enum(computedTraitStates),
  /** The number of computed profiles while the trait is `computing`; null otherwise. */
  progress: z.object({ done_count: z.number().int(), profile_count: z.number().int() }).nullable(),
  /**
   * The time up to which values are current: a few seconds ago, or earlier if a store is unavailable. Null before the
   * first computation.
   */
  as_of: time.nullable(),
  /** Why the trait could not be computed, as a sentence; '' if the computation succeeded. */
  failure: z.string(),
  create_time: time,
  update_time: time,
})
export type ComputedTraitSummary = z.infer<typeof computedTraitSummary>

export const computedTrait = computedTraitSummary.extend({
  /** Profiles that have a value. */
  profile_count: z.number().int(),
  /** The user who last changed the definition; '' for a deleted member. */
  author: z.string(),
  /** Names in the definition that were never received. Present in responses to a creation or change. */
  warnings: nameWarnings,
})
export type ComputedTrait = z.infer<typeof computedTrait>

/** The values of a definition for some profiles that recently had the event. */
export const computedTraitPreview = z.object({
  as_of: time,
  sample: z.array(
    z.object({
      profile: profileSummary,
      /** The value as JSON text. Null if it is too large to be stored; also null if `has_value` is false. */
      value: z.string().nullable(),
      has_value: z.boolean(),
    }),
  ),
  /** Names of the definition that were never received. */
  warnings: nameWarnings,
})
export type ComputedTraitPreview = z.infer<typeof computedTraitPreview>

const tooLarge = {
  code: 400,
  reason: 'QUERY_TOO_LARGE',
  when: 'It takes too much time or memory; the message says what to narrow.',
} as const
const changed = {
  code: 409,
  reason: 'COMPUTED_TRAIT_CHANGED',
  when: 'Someone else changed the definition since `version`.',
} as const

export const computedTraits = {
  list: defineMethod({
    name: 'computedTraits.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/computedTraits',
    access: workspaceMembers,
    summary: 'Lists the computed traits of a workspace, newest first.',
    query: pageQuery,
    response: z.object({ computed_traits: z.array(computedTraitSummary), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'computedTraits.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/computedTraits/{computed_trait}',
    access: workspaceMembers,
    summary: 'Gets a computed trait with its definition, and how far it is computed.',
    response: computedTrait,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'computedTraits.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/computedTraits',
    access: workspaceEditors,
    summary: 'Creates a computed trait and begins to compute it. The name of the trait cannot be changed later.',
    request: z.object({ trait: attributeName, definition: computedTraitDefinition, request_id: requestId }),
    response: computedTrait,
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.exists],
  }),
  update: defineMethod({
    name: 'computedTraits.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/computedTraits/{computed_trait}',
    access: workspaceEditors,
    summary: 'Changes the definition of a computed trait. All profiles are computed again.',
    query: maskQuery,
    maskCompanions: { definition: ['version'] },
    request: z.object({
      definition: computedTraitDefinition.optional(),
      /** The version of the trait that the change is based on; any other version is refused. */
      version: z.number().int().optional(),
    }),
    response: computedTrait,
    errors: [errors.invalid, errors.forbidden, errors.notFound, changed],
  }),
  delete: defineMethod({
    name: 'computedTraits.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/computedTraits/{computed_trait}',
    access: workspaceEditors,
    summary: 'Deletes a computed trait. Its values are removed from profiles in the background.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  preview: defineMethod({
    name: 'computedTraits.preview',
    verb: 'POST',
    path: '/workspaces/{workspace}/computedTraits:preview',
    access: workspaceEditors,
    reads: true,
    summary: 'Computes a definition for some of the profiles that had the event last.',
    request: z.object({ definition: computedTraitDefinition }),
    response: computedTraitPreview,
    errors: [errors.invalid, errors.forbidden, errors.notFound, tooLarge, errors.unavailable],
  }),
}
