import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { audienceListChange } from './lists.ts'
import { audienceQuery } from './query.ts'
import { audienceChanged } from './refusals.ts'

/** Maximum versions of an audience; the oldest are deleted first. */
export const maxVersions = 100

/** The title and query of an audience at one time; each change of the title or the query creates a version. */
export const audienceVersion = z.object({
  /** `workspaces/{id}/audiences/{id}/versions/{version}`. */
  name: z.string(),
  version: z.number().int(),
  title: z.string(),
  create_time: time,
  /** The user who created the version; '' for a deleted member. */
  author: z.string(),
  /** The version that this one restored; null when it restored none. */
  restored_version: z.number().int().nullable(),
  /** The change of the list in this version; null when the list did not change. */
  list: audienceListChange.nullable(),
})
export type AudienceVersion = z.infer<typeof audienceVersion>

/** Methods of `audiences` for earlier versions. */
export const audienceVersions = {
  listVersions: defineMethod({
    name: 'audiences.listVersions',
    verb: 'GET',
    path: '/workspaces/{workspace}/audiences/{audience}/versions',
    access: workspaceMembers,
    summary: `Lists the last ${maxVersions} versions of an audience, newest first: who changed its title or query, and when.`,
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
      /** The version of the audience that the caller has seen; any other one is refused. */
      current_version: z.number().int().optional(),
    }),
    response: audienceVersion,
    errors: [errors.invalid, errors.forbidden, errors.notFound, audienceChanged],
  }),
}
