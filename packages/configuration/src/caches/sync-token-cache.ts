import { among, type CacheFollower, type CacheFollowerDeps } from './cache-follower.ts'
import { createKeyFollower } from './key-follower.ts'

/** A valid token, and the workspace whose syncs it can start. */
export type CachedSyncToken = { id: string; workspaceId: string }

export type SyncTokenCache = CacheFollower & {
  /** Returns the workspace of a valid token, from memory. A revocation takes effect within two seconds. */
  find(token: string): CachedSyncToken | undefined
}

/** The form of every token; any other text is not even hashed. */
const form = /^sync_[\w-]{32}$/

/**
 * Keeps every valid token of orchestrators in memory, so that a request without a valid token is refused without a
 * query.
 */
export const createSyncTokenCache = (deps: CacheFollowerDeps): SyncTokenCache =>
  createKeyFollower(deps, {
    name: 'sync tokens',
    form,
    idsIn: ({ syncTokens }) => syncTokens,
    async load(tx, ids) {
      const rows = await tx
        .selectFrom('sync_tokens')
        .select(['id', 'workspace_id', 'token_hash'])
        .where('revoke_time', 'is', null)
        .where(among('id', ids))
        .execute()
      return rows.map(({ id, workspace_id: workspaceId, token_hash: hash }) => ({ hash, entry: { id, workspaceId } }))
    },
  })
