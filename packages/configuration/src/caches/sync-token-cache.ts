import { hashToken } from '@tributary/api-kit'
import { among, type CacheFollower, type CacheFollowerDeps, createCacheFollower } from './cache-follower.ts'

/** The workspace whose syncs a token can start. */
export type CachedSyncToken = { id: string; workspaceId: string }

export type SyncTokenCache = CacheFollower & {
  /** The workspace of a valid token, from memory. A revocation takes effect within two seconds. */
  find(token: string): CachedSyncToken | undefined
}

/** The form of every token; any other text is not even hashed. */
const form = /^sync_[\w-]{32}$/

/** Keeps every valid token of orchestrators in memory: a request without a valid token is refused without a query. */
export const createSyncTokenCache = (deps: CacheFollowerDeps): SyncTokenCache => {
  const byHash = new Map<string, CachedSyncToken>()
  const hashOf = new Map<string, string>()
  const forget = (id: string): void => {
    byHash.delete(hashOf.get(id) ?? '')
    hashOf.delete(id)
  }
  const follower = createCacheFollower(deps, {
    name: 'sync tokens',
    async load(tx, changed) {
      const rows = await tx
        .selectFrom('sync_tokens')
        .select(['id', 'workspace_id', 'token_hash'])
        .where('revoke_time', 'is', null)
        .where(among('id', changed?.syncTokens))
        .execute()
      return () => {
        for (const id of changed === undefined ? [...hashOf.keys()] : changed.syncTokens) forget(id)
        for (const { id, workspace_id, token_hash } of rows) {
          const hash = Buffer.from(token_hash).toString('latin1')
          byHash.set(hash, { id, workspaceId: workspace_id })
          hashOf.set(id, hash)
        }
      }
    },
  })
  return {
    ...follower,
    find: (token) => (form.test(token) ? byHash.get(hashToken(token).toString('latin1')) : undefined),
  }
}
