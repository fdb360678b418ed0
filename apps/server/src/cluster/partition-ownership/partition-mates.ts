import type { Logger } from '@tributary/kernel'
import { logPartitions, partitionsOf, type Relational, widestSpreads } from '@tributary/storage'

/** How long what was read of workspaces is valid, ms. */
const knownMs = 60_000
/** How long after a failed read the next one begins, ms. */
const againMs = 5000
/** Maximum workspaces remembered of a partition: more than one call ever names. */
const remembered = 32

/**
 * Creates the check whether others may go before some workspaces of a partition: where the partition has others. Answers
 * immediately from memory and reads in the background; until the first read the answer is no.
 */
export const createPartitionMates = ({
  relational,
  logger,
  now = () => performance.now(),
}: {
  relational: Pick<Relational, 'pool'>
  logger: Pick<Logger, 'warn'>
  /** Milliseconds of a clock that never goes back. */
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
