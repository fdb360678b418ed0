import { type CacheFollower, type CacheFollowerDeps, createCacheFollower } from './cache-follower.ts'

export type CustomDomainCache = CacheFollower & {
  /** The workspace that a host belongs to, from memory; undefined for an unknown host. In lower case, without a port. */
  workspaceOf(host: string): string | undefined
  /** Whether a certificate for this name is to be had: its records were found when they were last looked for. */
  mayHaveCertificate(host: string): boolean
}

/** Every custom domain that was found once, in memory. There are few, and all of them are read at a change. */
export const createCustomDomainCache = (deps: CacheFollowerDeps): CustomDomainCache => {
  let domains: ReadonlyMap<string, { workspaceId: string; active: boolean }> = new Map()
  const follower = createCacheFollower(deps, {
    name: 'custom domains',
    async load(tx) {
      const rows = await tx
        .selectFrom('custom_domains')
        .select(['domain', 'workspace_id', 'state'])
        .where('state', '<>', 'pending')
        .execute()
      return () => {
        domains = new Map(
          rows.map(({ domain, workspace_id, state }) => [
            domain,
            { workspaceId: workspace_id, active: state === 'active' },
          ]),
        )
      }
    },
  })
  return {
    ...follower,
    workspaceOf: (host) => domains.get(host)?.workspaceId,
    mayHaveCertificate: (host) => domains.get(host)?.active === true,
  }
}
