import type { Logger } from '@tributary/kernel'
import {
  logPartitions,
  OlderProcessesRun,
  partitionsOf,
  type Relational,
  requireKnownByAll,
  widestSpreads,
} from '@tributary/storage'

/** How long what is known of workspaces is good for, ms. */
const knownMs = 60_000
/** How long after a look that failed it is looked again, ms. */
const againMs = 5000
/** Workspaces of a partition that are remembered: more than are ever asked about at once. */
const remembered = 32

/**
 * Makes what says whether others may go before some workspaces of a partition: where others are in it, and no process runs that would not
 * know what was read. Answers at once by what it knows, which it looks up behind that: no, until it does.
 */
export const createPartitionMates = ({
  relational,
  logger,
  now = () => performance.now(),
}: {
  relational: Pick<Relational, 'db' | 'pool'>
  logger: Pick<Logger, 'warn'>
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
}): ((partition: number, workspaceIds: readonly string[]) => boolean) => {
  let known: ReadonlyMap<number, readonly string[]> | undefined
  let isAllowed = false
  let looking = false
  let lookAt = Number.NEGATIVE_INFINITY

  /** From now on no process of an earlier version begins. */
  const allow = async (): Promise<boolean> => {
    try {
      await relational.db.transaction().execute((tx) => requireKnownByAll(tx, '0097-overtaken-workspaces'))
      return true
    } catch (error) {
      if (error instanceof OlderProcessesRun) return false
      throw error
    }
  }

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
    isAllowed ||= await allow()
    known = mates
    lookAt = now() + knownMs
  }

  return (partition, workspaceIds) => {
    if (!looking && now() >= lookAt) {
      looking = true
      lookAt = now() + againMs
      void look()
        .catch((error: unknown) => logger.warn({ err: error }, 'It is not known which workspaces share a partition'))
        .finally(() => {
          looking = false
        })
    }
    if (!isAllowed) return false
    return known?.get(partition)?.some((id) => !workspaceIds.includes(id)) === true
  }
}
