import { z } from 'zod'
import { workspaceEditors } from '../api/access.ts'
import { errors, reference, requestId, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { genericTitle } from '../rules/value-rules.ts'
import { audienceChanged, queryTooLarge } from './refusals.ts'

/** The kind of the values of a list. Email addresses and phone numbers are also looked up among traits. */
export const listKinds = ['user_id', 'anonymous_id', 'email', 'phone'] as const
export type ListKind = (typeof listKinds)[number]

/**
 * Limits of lists: `values` and `bytes` (of the body) per call, `identifiers` per list, and `kept` identifiers per list
 * including all of its versions. A value with more than `matches` identifiers matches no profile.
 */
export const listLimits = {
  values: 50_000,
  bytes: 4 * 1024 * 1024,
  identifiers: 200_000,
  kept: 1_000_000,
  matches: 20,
} as const

/** The operations on a list: `remove` removes one profile. */
export const listOperations = ['import', 'add', 'replace', 'remove'] as const

/** A change of a list. The given values are not stored. */
export const audienceListChange = z.object({
  operation: z.enum(listOperations),
  /** Null for `remove`. */
  kind: z.enum(listKinds).nullable(),
  /** The number of given values, and of distinct values among them that match profiles. */
  value_count: z.number().int(),
  found_count: z.number().int(),
  time,
  /** The user who changed the list; '' for a deleted member. */
  author: z.string(),
})
export type AudienceListChange = z.infer<typeof audienceListChange>

/** The result of matching the values of a list with profiles. Positions in the given values count from 0. */
export const listReport = z.object({
  /** Number of distinct values that profiles have, and number of those profiles. */
  found_count: z.number().int(),
  profile_count: z.number().int(),
  /** Positions of values that no profile has. */
  not_found: z.array(z.number().int()),
  /** Positions of values that are invalid for this kind. */
  invalid: z.array(z.number().int()),
  /** Positions of repeated values. */
  duplicates: z.array(z.number().int()),
})
export type ListReport = z.infer<typeof listReport>

const values = {
  kind: z.enum(listKinds),
  /** Invalid values are reported, so any text is accepted here. */
  values: z
    .array(z.string())
    .min(1, 'Enter at least one identifier')
    .max(listLimits.values, `At most ${listLimits.values} identifiers`),
  /** If true, the call reports the matches and changes nothing. */
  validate_only: z.boolean().default(false),
}

const noList = { code: 400, reason: 'NO_LIST', when: 'The audience has conditions, and no list.' } as const
const limitReached = { code: 400, reason: 'LIMIT_REACHED', when: 'The workspace or the list has too many.' } as const

/** Methods of `audiences` for audiences that are lists of identifiers. */
export const audienceLists = {
  importList: defineMethod({
    name: 'audiences.importList',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences:importList',
    access: workspaceEditors,
    summary:
      'Creates an audience of the profiles that have an identifier of a list, and reports on each value. Users who become known later do not join.',
    request: z.object({ title: genericTitle, ...values, request_id: requestId }),
    bodyLimit: listLimits.bytes,
    response: z.object({
      /** The audience; '' when the values were only validated. */
      name: z.string(),
      report: listReport,
    }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, limitReached, queryTooLarge, errors.unavailable],
  }),
  changeList: defineMethod({
    name: 'audiences.changeList',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:changeList',
    access: workspaceEditors,
    summary: 'Adds identifiers to the list of an audience, or replaces the list, and reports on each value.',
    request: z.object({
      operation: z.enum(['add', 'replace']),
      ...values,
      /** The version of the audience that the change is based on; any other version is refused. */
      version: z.number().int().optional(),
    }),
    bodyLimit: listLimits.bytes,
    response: z.object({ report: listReport }),
    errors: [
      errors.invalid,
      noList,
      limitReached,
      queryTooLarge,
      errors.forbidden,
      errors.notFound,
      audienceChanged,
      errors.unavailable,
    ],
  }),
  removeFromList: defineMethod({
    name: 'audiences.removeFromList',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}:removeFromList',
    access: workspaceEditors,
    summary: 'Removes every identifier of a profile from the list of an audience.',
    request: z.object({ profile: reference }),
    response: z.object({ removed_count: z.number().int() }),
    errors: [errors.invalid, noList, errors.forbidden, errors.notFound],
  }),
}
