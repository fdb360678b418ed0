import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { audienceListChange } from './lists.ts'
import { audienceQuery } from './query.ts'
import { audienceChanged } from './refusals.ts'

/** Versions of an audience that are kept: of more the oldest are forgotten. */
export const keptVersions = 100

/** What an audience was called and asked for once; each change of either is a version. */
export const audienceVersion = z.object({
  /** `workspaces/{id}/audiences/{id}/versions/{version}`. */
  name: z.string(),
  version: z.number().int(),
  title: z.string(),
  create_time: time,
  /** Who made it; '' for a member who is gone. */
  author: z.string(),
  /** The version that was restored by it; null when none was. */
  restored_version: z.number().int().nullable(),
  /** What was changed of its list by it; null when nothing was. */
  list: audienceListChange.nullable(),
})
export type AudienceVersion = z.infer<typeof audienceVersion>

/** What an audience was before: methods of `audiences`. */
export const audienceVersions = {
  listVersions: defineMethod({
    name: 'audiences.listVersions',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/versions',
    access: workspaceMembers,
    summary: `Lists the last ${keptVersions} versions of an audience, newest first: who changed its title or query, and when.`,
    query: pageQuery,
    response: z.object({ versions: z.array(audienceVersion), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  getVersion: defineMethod({
    name: 'audiences.getVersion',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/versions/{version}',
    access: workspaceMembers,
    summary: 'Gets a version of an audience with its query.',
    response: audienceVersion.extend({ query: audienceQuery }),
    errors: [errors.notFound],
  }),
  restoreVersion: defineMethod({
    name: 'audiences.restoreVersion',
    verb: 'POST',
    path: '/workspaces/{workspace}/audiences/{audience}/versions/{version}:restore',
    access: workspaceEditors,
    summary: 'Makes a new version with the title and the query of an earlier one.',
    request: z.object({
      /** The version of the audience as it was seen: another one is refused. */
      current_version: z.number().int().optional(),
    }),
    response: audienceVersion,
    errors: [errors.invalid, errors.forbidden, errors.notFound, audienceChanged],
  }),
}
