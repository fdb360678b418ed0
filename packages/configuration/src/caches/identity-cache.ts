import { defaultIdentityRules, type IdentityRules } from '@tributary/contract'
import { among, type CacheFollower, type CacheFollowerDeps, createCacheFollower } from './cache-follower.ts'

export type IdentityCache<Rules> = CacheFollower & {
  /**
   * Returns the rules from the identity settings of a workspace, from memory; undefined if the settings are the
   * defaults.
   */
  find(workspaceId: string): Rules | undefined
}

/**
 * Keeps the identity settings of all workspaces that changed the defaults in memory. `make` converts settings to rules,
 * and also receives a text that differs after each change.
 */
export const createIdentityCache = <Rules>({
  make,
  ...deps
}: CacheFollowerDeps & { make: (decided: IdentityRules, version: string) => Rules }): IdentityCache<Rules> => {
  const snapshot = new Map<string, Rules>()
  const follower = createCacheFollower(deps, {
    name: 'identity settings',
    async load(tx, changed) {
      const rows = await tx
        .selectFrom('identity_settings')
        .selectAll()
        .where(among('workspace_id', changed?.identitySettings))
        .execute()
      return () => {
        if (changed === undefined) snapshot.clear()
        for (const id of changed?.identitySettings ?? []) snapshot.delete(id)
        for (const { workspace_id, rules, update_time } of rows)
          snapshot.set(workspace_id, make({ ...defaultIdentityRules, ...rules }, update_time.toISOString()))
      }
    },
  })
  return { ...follower, find: (workspaceId) => snapshot.get(workspaceId) }
}
