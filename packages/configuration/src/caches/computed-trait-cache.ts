import { computedTraitDefinition } from '@tributary/contract'
import { among, type CacheFollower, type CacheFollowerDeps, createCacheFollower } from './cache-follower.ts'

export type ComputedTraitCache = CacheFollower & {
  /**
   * Returns the IDs of a workspace's computed traits, by the event from which they are computed. Undefined if the
   * workspace has none.
   */
  find(workspaceId: string): ReadonlyMap<string, readonly string[]> | undefined
  /** Returns whether no workspace has computed traits. */
  isEmpty(): boolean
  /**
   * Returns whether the cache contains this version of a definition. If it does, changes by its events are recorded.
   */
  knows(workspaceId: string, id: string, version: number): boolean
}

type Known = { events: ReadonlyMap<string, readonly string[]>; versions: ReadonlyMap<string, number> }
type Row = { id: string; workspace_id: string; version: number; definition: string }

/** Returns the event from which a trait is computed; undefined for a definition of a later version. */
const eventOf = ({ definition }: Row): string | undefined =>
  computedTraitDefinition.safeParse(JSON.parse(definition)).data?.event

/**
 * Returns the definitions that this version can read. Others are skipped, so that one of them does not empty the cache.
 */
const knownOf = (given: readonly Row[]): Known => {
  const rows = given.flatMap((row) => {
    const event = eventOf(row)
    return event === undefined ? [] : [{ ...row, event }]
  })
  return {
    versions: new Map(rows.map(({ id, version }) => [id, version])),
    events: new Map(
      [...Map.groupBy(rows, ({ event }) => event)].map(([event, own]) => [event, own.map(({ id }) => id)]),
    ),
  }
}

/** Keeps the ID, version, and event of each computed trait in memory, to record the changes that events cause. */
export const createComputedTraitCache = (deps: CacheFollowerDeps): ComputedTraitCache => {
  const snapshot = new Map<string, Known>()
  const follower = createCacheFollower(deps, {
    name: 'computed traits',
    async load(tx, changed) {
      const rows = await tx
        .selectFrom('computed_traits')
        .select(['id', 'workspace_id', 'version', 'definition'])
        .where('delete_time', 'is', null)
        .where(among('workspace_id', changed?.computedTraits))
        .execute()
      return () => {
        if (changed === undefined) snapshot.clear()
        for (const id of changed?.computedTraits ?? []) snapshot.delete(id)
        for (const [id, own] of Map.groupBy(rows, ({ workspace_id }) => workspace_id)) snapshot.set(id, knownOf(own))
      }
    },
  })
  return {
    ...follower,
    find: (workspaceId) => snapshot.get(workspaceId)?.events,
    isEmpty: () => snapshot.size === 0,
    knows: (workspaceId, id, version) => snapshot.get(workspaceId)?.versions.get(id) === version,
  }
}
