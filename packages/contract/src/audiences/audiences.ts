import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, line, maskQuery, nextPageToken, pageQuery, requestId, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { profileSummary } from '../profiles.ts'
import { genericTitle } from '../rules/value-rules.ts'
import { audienceDestinationMethods } from './destinations.ts'
import { audienceListChange, audienceLists } from './lists.ts'
import { audienceMembership } from './membership.ts'
import { audienceQuery, nameWarnings, valueTypes } from './query.ts'
import { audienceChanged, queryTooLarge } from './refusals.ts'
import { audienceVersions } from './versions.ts'

/** A `preparing` audience was never computed. A paused or failed audience keeps its last profiles. */
export const audienceStates = ['preparing', 'computing', 'live', 'paused', 'failed'] as const
export type AudienceState = (typeof audienceStates)[number]

/** The phases of computing an audience: waiting for others, reading events, deciding about profiles. */
export const audienceSteps = ['waiting', 'events', 'profiles'] as const
export type AudienceStep = (typeof audienceSteps)[number]

/** Progress of computing an audience. `share` is the share of event rows that were read; null while it is unknown. */
export const audienceProgress = z.object({ step: z.enum(audienceSteps), share: z.number().min(0).max(1).nullable() })
export type AudienceProgress = z.infer<typeof audienceProgress>

/** A row of the list of audiences. */
export const audienceSummary = z.object({
  /** `workspaces/{id}/audiences/{id}`. */
  name: z.string(),
  title: z.string(),
  state: z.enum(audienceStates),
  /** Null unless the audience is being computed. */
  progress: audienceProgress.nullable(),
  /** Exact number of profiles in the audience as of `as_of`; null before the first computation. */
  size: z.number().int().nullable(),
  as_of: time.nullable(),
  /** Number of destinations that receive entries and exits, and of syncs that send the members. */
  destination_count: z.number().int(),
  sync_count: z.number().int(),
  create_time: time,
  update_time: time,
})
export type AudienceSummary = z.infer<typeof audienceSummary>

/** A statement that decides who is in an audience, with the values of its parameters. */
export const audienceStatement = z.object({
  /** The store that runs the statement. Results of the first statement are parameters of the second. */
  store: z.enum(['events', 'profiles']),
  text: z.string(),
  params: z.record(z.string(), z.string()),
})
export type AudienceStatement = z.infer<typeof audienceStatement>

export const audience = audienceSummary.extend({
  query: audienceQuery,
  /** Increases with each change of the title or the query. */
  version: z.number().int(),
  /** Why the audience could not be computed, as a sentence; '' if the last computation succeeded. */
  failure: z.string(),
  /** When a profile last entered or left; null for never. */
  change_time: time.nullable(),
  /** The number of profiles that entered and left at the last computation. */
  entered_count: z.number().int(),
  left_count: z.number().int(),
  /** The user who last changed the audience; '' for a deleted member. */
  author: z.string(),
  /** Audiences whose queries refer to this audience. */
  dependents: z.array(z.object({ name: z.string(), title: z.string() })),
  /** The last change of the audience's list; null for an audience with conditions. */
  list: audienceListChange.nullable(),
  /** Names in the query that were never received. Present in responses to a creation or change. */
  warnings: nameWarnings,
})
export type Audience = z.infer<typeof audience>

/** Maximum number of profiles that a preview shows. */
export const previewSample = 5

/** The profiles that an audience with a query would have. */
export const audiencePreview = z.object({
  as_of: time,
  /** Whether `size` and the other counts are exact; otherwise they are estimates from a sample of all profiles. */
  exact: z.boolean(),
  size: z.number().int(),
  /** Number of these profiles with the trait email, with the trait phone, and with an anonymous ID. */
  email_count: z.number().int(),
  phone_count: z.number().int(),
  device_count: z.number().int(),
  /** The profiles that were seen last. */
  sample: z.array(profileSummary),
  /** Names of the query that were never received. */
  warnings: nameWarnings,
})
export type AudiencePreview = z.infer<typeof audiencePreview>

const inUse = {
  code: 409,
  reason: 'AUDIENCE_IN_USE',
  when: 'Queries of other audiences name it; the message names them.',
} as const

const paused = { code: 409, reason: 'AUDIENCE_PAUSED', when: 'It is paused; resume it first.' } as const

export const audiences = {
  list: defineMethod({
    name: 'audiences.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences',
    access: workspaceMembers,
    summary: 'Lists the audiences of a workspace, newest first.',
    query: pageQuery,
    response: z.object({ audiences: z.array(audienceSummary), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'audiences.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}',
    access: workspaceMembers,
    summary: 'Gets an audience with its query, its size, and the audiences that depend on it.',
    response: audience,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'audiences.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences',
    access: workspaceEditors,
    summary: 'Creates an audience and begins to compute it.',
    request: z.object({ title: genericTitle, query: audienceQuery, request_id: requestId }),
    response: audience,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'audiences.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/audiences/{audience}',
    access: workspaceEditors,
    summary: 'Changes the title or the query of an audience. A changed query is computed again.',
    query: maskQuery,
    maskCompanions: { query: ['version'], title: ['version'] },
    request: z.object({
      title: genericTitle.optional(),
      query: audienceQuery.optional(),
      /** The version of the audience that the change is based on; any other version is refused. */
      version: z.number().int().optional(),
    }),
    response: audience,
    errors: [errors.invalid, errors.forbidden, errors.notFound, audienceChanged],
  }),
  delete: defineMethod({
    name: 'audiences.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/audiences/{audience}',
    access: workspaceEditors,
    summary:
      'Deletes an audience that no other audience depends on. Its destinations are disconnected, and receive no exits of its profiles. Models and syncs of its members are deleted, too.',
    response: empty,
    errors: [errors.forbidden, errors.notFound, inUse],
  }),
  compute: defineMethod({
    name: 'audiences.compute',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:compute',
    access: workspaceEditors,
    summary: 'Computes an audience now.',
    request: empty,
    response: audience,
    errors: [errors.forbidden, errors.notFound, paused],
  }),
  preview: defineMethod({
    name: 'audiences.preview',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences:preview',
    access: workspaceEditors,
    reads: true,
    summary: 'Counts the profiles that meet a query now, and shows some of them.',
    request: z.object({
      query: audienceQuery,
      /**
       * Whether an estimate is enough. In a workspace with many profiles, the estimate reads a sample in less than a
       * second.
       */
      estimate: z.boolean().default(false),
    }),
    response: audiencePreview,
    errors: [errors.invalid, errors.forbidden, errors.notFound, queryTooLarge, errors.unavailable],
  }),
  listMembers: defineMethod({
    name: 'audiences.listMembers',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/members',
    access: workspaceMembers,
    summary:
      'Lists the profiles that were in an audience as of `as_of`, those that entered last first. All pages are of the same `as_of`.',
    query: pageQuery,
    response: z.object({
      as_of: time.nullable(),
      /** The time of the last entry or exit. If it differs, the list of members has changed. */
      change_time: time.nullable(),
      members: z.array(z.object({ profile: profileSummary, enter_time: time })),
      next_page_token: nextPageToken,
    }),
    errors: [errors.notFound],
  }),
  ...audienceMembership,
  ...audienceLists,
  ...audienceDestinationMethods,
  getStatements: defineMethod({
    name: 'audiences.getStatements',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/statements',
    access: workspaceMembers,
    summary: 'Gets the SQL that decides who is in an audience.',
    response: z.object({
      /** The time of the counts: the last computation of the audience, otherwise now. */
      as_of: time,
      statements: z.array(audienceStatement),
    }),
    errors: [errors.notFound],
  }),
  suggest: defineMethod({
    name: 'audiences.suggest',
    verb: 'GET',
    path: '/workspaces/{workspace}/audienceSuggestions',
    access: workspaceEditors,
    summary:
      'Suggests names and values from what was received: events, properties of an `event`, traits, and values of a `name` among them.',
    query: z.object({
      kind: z.enum(['event', 'property', 'trait', 'property_value', 'trait_value']),
      event: line(500).default(''),
      name: line(200).default(''),
    }),
    response: z.object({ suggestions: z.array(z.object({ text: z.string(), type: z.enum(valueTypes) })) }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, queryTooLarge, errors.unavailable],
  }),
  ...audienceVersions,
}
