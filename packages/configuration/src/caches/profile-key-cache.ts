import { hashToken } from '@tributary/api-kit'
import type { ProfileKeyKind } from '@tributary/contract'
import { among, type CacheFollower, type CacheFollowerDeps, createCacheFollower } from './cache-follower.ts'

/** The permissions of a key of the Profile API. */
export type CachedProfileKey = {
  id: string
  workspaceId: string
  kind: ProfileKeyKind
  traits: readonly string[]
}

export type ProfileKeyCache = CacheFollower & {
  /** The permissions of a valid key, from memory. A revocation takes effect within two seconds. */
  find(key: string): CachedProfileKey | undefined
}

/** The form of every key; any other text is not even hashed. */
const form = /^profile_(?:secret|public)_[\w-]{32}$/

/** Keeps every valid key of the Profile API in memory: a request without a valid key is refused without a query. */
export const createProfileKeyCache = (deps: CacheFollowerDeps): ProfileKeyCache => {
  const byHash = new Map<string, CachedProfileKey>()
  const hashOf = new Map<string, string>()
  const forget = (id: string): void => {
    byHash.delete(hashOf.get(id) ?? '')
    hashOf.delete(id)
  }
  const follower = createCacheFollower(deps, {
    name: 'profile keys',
    async load(tx, changed) {
      const rows = await tx
        .selectFrom('profile_keys')
        .select(['id', 'workspace_id', 'kind', 'traits', 'key_hash'])
        .where('revoke_time', 'is', null)
        .where(among('id', changed?.profileKeys))
        .execute()
      return () => {
        for (const id of changed === undefined ? [...hashOf.keys()] : changed.profileKeys) forget(id)
        for (const { id, workspace_id, kind, traits, key_hash } of rows) {
          const hash = Buffer.from(key_hash).toString('latin1')
          byHash.set(hash, { id, workspaceId: workspace_id, kind, traits })
          hashOf.set(id, hash)
        }
      }
    },
  })
  return {
    ...follower,
    find: (key) => (form.test(key) ? byHash.get(hashToken(key).toString('latin1')) : undefined),
  }
}
