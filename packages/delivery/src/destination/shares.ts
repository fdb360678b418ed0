import type { Clock, Logger } from '@tributary/kernel'
import { groupOfPartition, logPartitions, partitionsOf } from '@tributary/storage'
import type { Parking } from '../parking/parking.ts'
import type { DestinationCache, DestinationEntry } from '../ports.ts'

/** A delivery's share of a destination's limits. */
export type Share = {
  /** Number of deliveries that may send to the destination. */
  among: number
  /**
   * Whether this delivery may send, if one request at a time is allowed. `spread` while its workspace has several
   * owners, `later` while a former owner has deliveries left.
   */
  turn: 'mine' | 'spread' | 'later'
}

export type Shares = {
  /** Returns the share of this delivery, from memory. It is the same object until the share changes. */
  of(entry: DestinationEntry): Share
  /** Looks up the waiting deliveries of former owners, every few seconds. Never rejects. */
  refresh(): Promise<void>
}

const everyMs = 5000

/**
 * Computes which deliveries share a destination's limits: the owners of its workspace's partitions, and former owners
 * while deliveries wait in their partitions. Until the first look-up, all former owners count.
 */
export const createShares = (deps: {
  /** Number of groups that the partitions are divided into. */
  groups: number
  /** The partitions of this delivery, all of one group. */
  owned: ReadonlySet<number>
  parking: Pick<Parking, 'waitingIn'>
  destinationCache: Pick<DestinationCache, 'get'>
  clock: Clock
  logger: Logger
}): Shares => {
  const { groups, owned, parking, destinationCache, clock, logger } = deps
  const known = new WeakMap<DestinationEntry, Share>()
  /**
   * Destinations whose workspaces were spread wider, by ID, with the former groups that have deliveries left; undefined
   * before the first look-up.
   */
  const narrowed = new Map<string, { entry: DestinationEntry; former: ReadonlySet<number> | undefined }>()
  let last = Number.NEGATIVE_INFINITY
  let isRunning = false

  const groupOf = (partition: number): number => groupOfPartition(partition, groups)
  const groupsOf = ({ workspaceId }: DestinationEntry, spread: number): Set<number> =>
    new Set(partitionsOf(workspaceId, spread, logPartitions).map(groupOf))
  /** Returns the partitions that the workspace of a destination once had and that are in other groups. */
  const formerOf = (entry: DestinationEntry): number[] => {
    const now = groupsOf(entry, entry.spread ?? 1)
    return partitionsOf(entry.workspaceId, entry.widest ?? 1, logPartitions).filter(
      (partition) => !now.has(groupOf(partition)),
    )
  }
  const shareOf = (now: ReadonlySet<number>, former: ReadonlySet<number>): Share => {
    const among = now.size + former.size
    if (now.size > 1) return { among, turn: 'spread' }
    const [mine] = [...owned].map(groupOf)
    return { among, turn: former.size === 0 || Math.min(...former) === mine ? 'mine' : 'later' }
  }

  const look = async (): Promise<void> => {
    for (const id of narrowed.keys()) if (destinationCache.get(id) === undefined) narrowed.delete(id)
    const looked = [...narrowed.values()]
    const waiting = await parking.waitingIn(
      looked.flatMap(({ entry }) => formerOf(entry).map((partition) => ({ destinationId: entry.id, partition }))),
    )
    for (const each of looked) {
      const here = waiting.filter(({ destinationId }) => destinationId === each.entry.id)
      const former = new Set(here.map(({ partition }) => groupOf(partition)))
      const isSame = each.former !== undefined && [...former].join() === [...each.former].join()
      each.former = former
      if (!isSame) known.delete(each.entry)
    }
  }

  return {
    of(entry) {
      const { id, spread = 1, widest = 1 } = entry
      let share = known.get(entry)
      if (share !== undefined) return share
      const former = formerOf(entry)
      if (spread >= widest || former.length === 0) narrowed.delete(id)
      else {
        const before = narrowed.get(id)
        const isSame = before?.entry.spread === spread && before.entry.widest === widest
        if (!isSame) last = Number.NEGATIVE_INFINITY
        narrowed.set(id, { entry, former: isSame ? before.former : undefined })
      }
      share = shareOf(groupsOf(entry, spread), narrowed.get(id)?.former ?? new Set(former.map(groupOf)))
      known.set(entry, share)
      return share
    },
    async refresh() {
      if (isRunning || narrowed.size === 0 || clock() - last < everyMs) return
      isRunning = true
      last = clock()
      try {
        await look()
      } catch (error) {
        logger.warn(
          { err: error },
          'deliveries that former owners of partitions hold for a destination cannot be read; delivery tries again',
        )
      } finally {
        isRunning = false
      }
    },
  }
}
