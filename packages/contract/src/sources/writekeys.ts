import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, line, nextPageToken, pageQuery, reference, requestId, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

export const writekey = z.object({
  /** `workspaces/{id}/writekeys/{id}`. */
  name: z.string(),
  /** The key itself: a public identifier that SDKs carry. */
  key: z.string(),
  title: z.string(),
  /** Resource name of its source. */
  source: z.string(),
  create_time: time,
  last_used_time: time.nullable(),
})
export type WriteKey = z.infer<typeof writekey>

export const writekeys = {
  create: defineMethod({
    name: 'writekeys.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/writekeys',
    access: workspaceEditors,
    followedBy: ['collection'],
    summary: 'Creates a write key for a source.',
    request: z.object({ source: reference, title: line(200).default(''), request_id: requestId }),
    alsoKnown: ['workspace'],
    response: writekey,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  list: defineMethod({
    name: 'writekeys.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/writekeys',
    access: workspaceMembers,
    summary: 'Lists the active write keys of a workspace or, with `source`, of one source, newest first.',
    query: pageQuery.extend({ source: reference.optional() }),
    response: z.object({ writekeys: z.array(writekey), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  rotate: defineMethod({
    name: 'writekeys.rotate',
    verb: 'POST',
    path: '/workspaces/{workspace}/writekeys/{writekey}:rotate',
    access: workspaceEditors,
    followedBy: ['collection'],
    summary: 'Rotates a write key: creates a new one with the same title and revokes this one.',
    request: z.object({}),
    response: writekey,
    errors: [errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'writekeys.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/writekeys/{writekey}',
    access: workspaceEditors,
    followedBy: ['collection'],
    summary: 'Revokes a write key. It is refused within two seconds.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
