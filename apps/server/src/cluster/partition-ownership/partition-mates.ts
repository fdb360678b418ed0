import type { Logger } from '@tributary/kernel'
import { logPartitions, partitionsOf, type Relational, widestSpreads } from '@tributary/storage'

/** Time in ms for which read results are valid. */
const knownMs = 60_000
/** Delay after a failed read, ms. */
const againMs = 5000
/** Maximum number of cached workspaces of a partition. A single call names at most this many. */
const remembered = 32

/**
 * Creates the check whether other workspaces may overtake the given ones, which is true if their partition has other
 * workspaces. The check responds immediately from memory and reads in the background. Before the first read, it returns
 * false.
 */
export const createPartitionMates = ({
  relational,
  logger,
  now = () => performance.now(),
}: {
  relational: Pick<Relational, 'pool'>
  logger: Pick<Logger, 'warn'>
  /** A monotonic clock, ms. */
  now?: () => number
}): ((partition: number, workspaceIds: readonly string[]) => boolean) => {
  let known: ReadonlyMap<number, readonly string[]> | undefined
  let looking = false
  let lookAt = Number.NEGATIVE_INFINITY

  const look = async (): Promise<void> => {
    const spreads = await widestSpreads(relational.pool)
    const { rows } = await relational.pool.query<{ id: string }>(
      'select id::text from workspaces where delete_time is null',
    )
    const mates = new Map<number, string[]>()
    for (const { id } of rows)
      for (const partition of partitionsOf(id, spreads.get(id) ?? 1, logPartitions)) {
        const found = mates.get(partition)
        if (found === undefined) mates.set(partition, [id])
        else if (found.length < remembered) found.push(id)
      }
    known = mates
    lookAt = now() + knownMs
  }

  return (partition, workspaceIds) => {
    if (!looking && now() >= lookAt) {
      looking = true
      lookAt = now() + againMs
      void look()
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'the workspaces that share a partition cannot be read now'),
        )
        .finally(() => {
          looking = false
        })
    }
    return known?.get(partition)?.some((id) => !workspaceIds.includes(id)) === true
  }
}
