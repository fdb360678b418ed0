import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, nextPageToken, pageQuery, time, title } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** Maximum tokens of a workspace at a time. */
export const maxSyncTokens = 20

/** A token with which an orchestrator starts the syncs of a workspace. */
export const syncToken = z.object({
  /** `workspaces/{id}/syncTokens/{id}`. */
  name: z.string(),
  title: z.string(),
  /** The last characters of the token, by which people recognize it. */
  hint: z.string(),
  create_time: time,
  /** The time of the last call with the token, rounded to a minute; null while the token is unused. */
  last_used_time: time.nullable(),
})
export type SyncToken = z.infer<typeof syncToken>

/** A token when it was just created. It includes the secret, of which only a hash is stored. */
const newSyncToken = syncToken.extend({ token: z.string() })
export type NewSyncToken = z.infer<typeof newSyncToken>

export const syncTokens = {
  list: defineMethod({
    name: 'syncTokens.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/syncTokens',
    access: workspaceMembers,
    summary:
      'Lists the tokens with which orchestrators start syncs, newest first. The tokens themselves are shown once, when they are created.',
    query: pageQuery,
    response: z.object({ sync_tokens: z.array(syncToken), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'syncTokens.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/syncTokens',
    access: workspaceEditors,
    followedBy: ['sync-api'],
    summary: 'Creates a token with which an orchestrator starts the syncs of the workspace and reads their runs.',
    request: z.object({ title }),
    response: newSyncToken,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'syncTokens.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/syncTokens/{sync_token}',
    access: workspaceEditors,
    followedBy: ['sync-api'],
    summary: 'Revokes a token. It is refused within two seconds.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
