import { setTimeout } from 'node:timers/promises'
import { formatRecordPlace, isEarlier, parseRecordPlace } from '@tributary/kernel'
import { type LogReader, partitionOf } from '@tributary/storage'
import { askPositions } from './operations/retention.ts'
import type { RoleThread } from './roles/role-thread.ts'

/** Tells the place in the log of requests before which every event of a workspace is stored; '' while nobody can tell. */
type StoredBefore = (workspaceId: string) => Promise<string>

/**
 * Tells the place in the log of requests before which every event of a workspace is stored, which is how far the
 * pipeline has committed; '' while that cannot be asked.
 */
export const createStoredBefore =
  (pipeline: RoleThread | undefined, partitions: number): StoredBefore =>
  async (workspaceId) => {
    if (pipeline === undefined || !pipeline.running()) return ''
    const positions = await askPositions(pipeline, 'positions')
    const partition = partitionOf(workspaceId, partitions)
    const place = positions.find((each) => each.partition === partition)
    return formatRecordPlace(place ?? { partition, offset: 0, incarnation: '' })
  }

/** How often is asked how far the pipeline is, ms. */
const pollMs = 100

/**
 * Waits until everything of a workspace that is in the log of requests now is stored; while the pipeline is away, until it
 * is back.
 */
export const createWhenStored =
  ({
    log,
    storedBefore,
  }: {
    log: Pick<LogReader, 'partitions' | 'ends' | 'incarnations'>
    storedBefore: StoredBefore
  }) =>
  async (workspaceId: string, signal: AbortSignal): Promise<void> => {
    const partition = partitionOf(workspaceId, log.partitions)
    const end = (await log.ends())[partition] ?? 0
    // That of the newest record: one that has begun since has none here yet.
    const newest = (await log.incarnations(partition)).findLast(({ from }) => from < end)
    // What is no longer held was stored long ago.
    if (newest === undefined) return
    const { incarnation } = newest
    for (;;) {
      const stored = parseRecordPlace(await storedBefore(workspaceId))
      if (stored !== undefined && !isEarlier(stored, { partition, offset: end, incarnation })) return
      await setTimeout(pollMs, undefined, { signal })
    }
  }

/** Tells when the oldest record came that may be of a workspace, epoch ms: Infinity when the logs hold none. */
export const createOldestLogged =
  (logs: readonly Pick<LogReader, 'partitions' | 'starts' | 'read'>[]) =>
  async (workspaceId: string): Promise<number> => {
    const times = await Promise.all(
      logs.map(async (log) => {
        const partition = partitionOf(workspaceId, log.partitions)
        const [first] = await log.read(partition, (await log.starts())[partition] ?? 0, 1)
        return first?.time ?? Number.POSITIVE_INFINITY
      }),
    )
    return Math.min(...times)
  }
