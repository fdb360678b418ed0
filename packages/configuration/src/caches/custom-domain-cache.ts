import { type CacheFollower, type CacheFollowerDeps, createCacheFollower } from './cache-follower.ts'

export type CustomDomainCache = CacheFollower & {
  /**
   * Returns the workspace of a host name (in lower case, without a port) from memory; undefined for an unknown host.
   */
  workspaceOf(host: string): string | undefined
  /**
   * Returns whether a certificate can be requested for this name, because its DNS records were found at the last check.
   */
  mayHaveCertificate(host: string): boolean
}

/** Keeps every domain in memory whose DNS records were ever found. There are few, so a change reloads all of them. */
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
