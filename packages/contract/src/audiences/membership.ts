import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, nextPageToken, pageQuery, reference, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { epochSeconds } from '../events/metrics.ts'
import { profileSummary } from '../profiles.ts'
import { queryTooLarge } from './refusals.ts'

/** The changes of a profile when an audience is computed. */
export const audienceChangeKinds = ['entered', 'left'] as const
export type AudienceChangeKind = (typeof audienceChangeKinds)[number]

/** A profile that entered or left an audience. */
export const audienceChange = z.object({
  /** ID of the change, unique in the audience. */
  id: z.string(),
  kind: z.enum(audienceChangeKinds),
  time,
  /** The profile now; null for a deleted one. */
  profile: profileSummary.nullable(),
  /** Whether the profile was merged into another profile, which `profile` then shows. */
  merged: z.boolean(),
})
export type AudienceChange = z.infer<typeof audienceChange>

/** The size of an audience and the number of its entries and exits in one hour or day of UTC. */
export const audiencePoint = z.object({
  /** The hour as `YYYYMMDDHH` or the day as `YYYYMMDD`. */
  bucket: z.string(),
  /** The size at the end of the hour or day; null before the first computation. */
  size: z.number().int().nullable(),
  entered_count: z.number().int(),
  left_count: z.number().int(),
})
export type AudiencePoint = z.infer<typeof audiencePoint>

/** Why a profile is in an audience or not. */
export const audienceExplanation = z.object({
  /** The time for which the conditions are evaluated: the last computation, otherwise now. */
  as_of: time,
  profile: profileSummary,
  /** The time since which the profile is a member; null if it was not a member as of `as_of`. */
  enter_time: time.nullable(),
  /** Whether the profile matches the query now. `enter_time` can differ until the audience is computed again. */
  met: z.boolean(),
  /** Whether the profile is suppressed. A suppressed profile is in no audience. */
  suppressed: z.boolean(),
  /** Whether the audience excludes the profile because the profile has no user ID. */
  anonymous: z.boolean(),
  /** Every condition in the order of the query, and whether the profile meets it. */
  conditions: z.array(z.object({ id: z.string(), met: z.boolean() })),
})
export type AudienceExplanation = z.infer<typeof audienceExplanation>

/** Maximum hours or days of a history. */
export const maxAudiencePoints = 400

/** Methods of `audiences` for present and past members. */
export const audienceMembership = {
  listChanges: defineMethod({
    name: 'audiences.listChanges',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/changes',
    access: workspaceMembers,
    summary: 'Lists the profiles that entered and left an audience, newest first.',
    query: pageQuery.extend({ kind: z.enum(audienceChangeKinds).optional() }),
    response: z.object({ changes: z.array(audienceChange), next_page_token: nextPageToken }),
    errors: [errors.invalid, errors.notFound],
  }),
  pause: defineMethod({
    name: 'audiences.pause',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:pause',
    access: workspaceEditors,
    summary: 'Pauses an audience: it keeps its profiles, and nobody enters or leaves until it is resumed.',
    request: empty,
    response: z.object({ state: z.enum(['paused']) }),
    errors: [errors.forbidden, errors.notFound],
  }),
  resume: defineMethod({
    name: 'audiences.resume',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:resume',
    access: workspaceEditors,
    summary: 'Resumes a paused audience, and begins to compute it.',
    request: empty,
    response: z.object({ state: z.enum(['computing']) }),
    errors: [errors.forbidden, errors.notFound],
  }),
  explain: defineMethod({
    name: 'audiences.explain',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}:explain',
    access: workspaceMembers,
    summary: 'Says which conditions of an audience are true of a profile, and so why it is in or not.',
    query: z.object({ profile: reference }),
    response: audienceExplanation,
    errors: [errors.invalid, errors.notFound, queryTooLarge, errors.unavailable],
  }),
  getHistory: defineMethod({
    name: 'audiences.getHistory',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/history',
    access: workspaceMembers,
    summary: `Gets the size of an audience at the end of each UTC hour or day from \`start_date.seconds\` to before \`end_date.seconds\` (at most ${maxAudiencePoints} of them), and how many profiles entered and left.`,
    query: z.object({
      'start_date.seconds': epochSeconds,
      'end_date.seconds': epochSeconds,
      granularity: z.enum(['hour', 'day']).default('day'),
    }),
    response: z.object({ points: z.array(audiencePoint) }),
    errors: [errors.invalid, errors.notFound],
  }),
}
