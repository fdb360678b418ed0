import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { epochSeconds } from '../events/metrics.ts'
import { profileSummary } from '../profiles.ts'

/** What may happen to a profile when an audience is computed. */
export const audienceChangeKinds = ['entered', 'left'] as const
export type AudienceChangeKind = (typeof audienceChangeKinds)[number]

/** A profile that entered or left an audience. */
export const audienceChange = z.object({
  /** Unique in the audience. */
  id: z.string(),
  kind: z.enum(audienceChangeKinds),
  time,
  /** As it is now; null for one that was deleted. */
  profile: profileSummary.nullable(),
  /** Whether it is another one now, which it was merged into. */
  merged: z.boolean(),
})
export type AudienceChange = z.infer<typeof audienceChange>

/** An audience in one hour or day of UTC. */
export const audiencePoint = z.object({
  /** `YYYYMMDDHH` or `YYYYMMDD`. */
  bucket: z.string(),
  /** As it was last; null before it was computed first. */
  size: z.number().int().nullable(),
  entered_count: z.number().int(),
  left_count: z.number().int(),
})
export type AudiencePoint = z.infer<typeof audiencePoint>

/** Hours or days that a history has at most. */
export const maxAudiencePoints = 400

/** Who is in audiences, since when, and who was: methods of `audiences`. */
export const membership = {
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
