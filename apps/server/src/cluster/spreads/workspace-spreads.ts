import type { WorkspaceSpread, WorkspaceSpreads } from '@tributary/collect'
import type { WriteKeyCache } from '@tributary/configuration'
import { logPartitions, partitionsOf } from '@tributary/storage'

/** Returns the current spreads of workspaces from the configuration cache of collection. */
export const createWorkspaceSpreads = (keys: Pick<WriteKeyCache, 'spreads'>): WorkspaceSpreads => {
  let known: ReadonlyMap<string, unknown> | undefined
  let spreads = new Map<string, WorkspaceSpread>()
  const current = (): ReadonlyMap<string, WorkspaceSpread> => {
    const cached = keys.spreads()
    if (cached === known) return spreads
    known = cached
    spreads = new Map(
      [...cached.values()].map(({ workspaceId, spread, change }) => [
        workspaceId,
        { partitions: partitionsOf(workspaceId, spread, logPartitions), change },
      ]),
    )
    return spreads
  }
  return {
    of: (workspaceId) => current().get(workspaceId),
    changes: () => [...current().values()].flatMap(({ change }) => change ?? []),
  }
}
