import { setTimeout } from 'node:timers/promises'
import { formatRecordPlaces, isEarlier, parseRecordPlaces } from '@tributary/kernel'
import type { LogReader } from '@tributary/storage'
import type { PipelineMessages } from '../threads/messages/pipeline.ts'
import type { Role } from '../threads/role-thread.ts'

/**
 * Returns, for each partition that may have data of a workspace, the position in the log of requests before which all
 * its events are stored (`formatRecordPlaces`). '' if the positions are unknown.
 */
type StoredBefore = (workspaceId: string) => Promise<string>

/** Returns the partitions that may have data of a workspace. */
type PartitionsOf = (workspaceId: string) => Promise<readonly number[]>

/**
 * Creates a function that returns the committed positions of the pipeline for a workspace; '' while the pipeline is not
 * running.
 */
export const createStoredBefore =
  (pipeline: Role<PipelineMessages> | undefined, partitionsOf: PartitionsOf): StoredBefore =>
  async (workspaceId) => {
    if (pipeline === undefined || !pipeline.running()) return ''
    const positions = await pipeline.ask('positions')
    const places = new Map(positions.map((place) => [place.partition, place]))
    return formatRecordPlaces(
      (await partitionsOf(workspaceId)).map(
        (partition) => places.get(partition) ?? { partition, offset: 0, incarnation: '' },
      ),
    )
  }

/** How often the positions of the pipeline are read, ms. */
const pollMs = 100

/**
 * Waits until all requests of a workspace that are in the log now are stored. If the pipeline is down, waits until it
 * is back.
 */
export const createWhenStored =
  ({
    log,
    partitionsOf,
    storedBefore,
  }: {
    log: Pick<LogReader, 'ends' | 'incarnations'>
    partitionsOf: PartitionsOf
    storedBefore: StoredBefore
  }) =>
  async (workspaceId: string, signal: AbortSignal): Promise<void> => {
    const ends = await log.ends()
    const wanted = await Promise.all(
      (await partitionsOf(workspaceId)).map(async (partition) => {
        const end = ends[partition] ?? 0
        // The incarnation of the newest record. A later incarnation has no records here yet.
        const newest = (await log.incarnations(partition)).findLast(({ from }) => from < end)
        // Records that the log no longer has were stored long ago, so there is nothing to wait for.
        return newest === undefined ? [] : [{ partition, offset: end, incarnation: newest.incarnation }]
      }),
    )
    const waited = wanted.flat()
    if (waited.length === 0) return
    for (;;) {
      const stored = new Map(
        parseRecordPlaces(await storedBefore(workspaceId)).map((place) => [place.partition, place]),
      )
      const isStored = (place: (typeof waited)[number]): boolean => {
        const reached = stored.get(place.partition)
        return reached !== undefined && !isEarlier(reached, place)
      }
      if (waited.every(isStored)) return
      await setTimeout(pollMs, undefined, { signal })
    }
  }

/**
 * Returns the time (epoch ms) at which the oldest record was appended that may belong to a workspace; Infinity if the
 * logs have none.
 */
export const createOldestLogged =
  (logs: readonly Pick<LogReader, 'starts' | 'read'>[], partitionsOf: PartitionsOf) =>
  async (workspaceId: string): Promise<number> => {
    const partitions = await partitionsOf(workspaceId)
    const times = await Promise.all(
      logs.map(async (log) => {
        const starts = await log.starts()
        const firsts = await Promise.all(partitions.map((partition) => log.read(partition, starts[partition] ?? 0, 1)))
        return Math.min(...firsts.map(([first]) => first?.time ?? Number.POSITIVE_INFINITY))
      }),
    )
    return Math.min(...times)
  }
