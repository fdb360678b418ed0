import type { ProfileKeyKind } from '@tributary/contract'
import { among, type CacheFollower, type CacheFollowerDeps } from './cache-follower.ts'
import { createKeyFollower } from './key-follower.ts'

/** The permissions of a key of the Profile API. */
export type CachedProfileKey = {
  id: string
  workspaceId: string
  kind: ProfileKeyKind
  traits: readonly string[]
}

export type ProfileKeyCache = CacheFollower & {
  /** Returns the permissions of a valid key, from memory. A revocation takes effect within two seconds. */
  find(key: string): CachedProfileKey | undefined
}

/** The form of every key; any other text is not even hashed. */
const form = /^profile_(?:secret|public)_[\w-]{32}$/

/**
 * Keeps every valid key of the Profile API in memory, so that a request without a valid key is refused without a query.
 */
export const createProfileKeyCache = (deps: CacheFollowerDeps): ProfileKeyCache =>
  createKeyFollower(deps, {
    name: 'profile keys',
    form,
    idsIn: ({ profileKeys }) => profileKeys,
    async load(tx, ids) {
      const rows = await tx
        .selectFrom('profile_keys')
        .select(['id', 'workspace_id', 'kind', 'traits', 'key_hash'])
        .where('revoke_time', 'is', null)
        .where(among('id', ids))
        .execute()
      return rows.map(({ id, workspace_id: workspaceId, kind, traits, key_hash: hash }) => ({
        hash,
        entry: { id, workspaceId, kind, traits },
      }))
    },
  })
