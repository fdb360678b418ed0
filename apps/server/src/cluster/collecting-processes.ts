import { hostname } from 'node:os'
import { type Logger, randomToken } from '@tributary/kernel'
import { createMembers, forgetMembers, type Relational, seenMembers } from '@tributary/storage'
import { version } from '../boot/built.ts'
import { repeatTask } from './repeat-task.ts'

/**
 * Removes collecting processes that have not been seen for a while. The operator confirms that they are not running any
 * more.
 */
export const forgetGone = async (pool: Pick<Relational['pool'], 'query'>): Promise<void> => {
  await forgetMembers(pool, 'collect', beats * defaultEveryMs)
}

export type CollectingProcesses = {
  /** Resolves when this process is counted, or when the first attempt to count it has failed. */
  begun: Promise<void>
  /** Number of collecting processes, including this one; the last known number while PostgreSQL is down. */
  count(): number
  /**
   * Removes this process from the count. If some of its requests may still reach the log, its row stays, like the row
   * of a killed process.
   */
  stop(isUnsure?: boolean): Promise<void>
}

/** Interval in ms at which a process renews its row. */
const defaultEveryMs = 2000
/** Maximum age of a row, as a number of intervals: two renewals may fail, and the third may be late. */
const beats = 4
/** Interval in ms at which this process reports its pauses during a spread change. */
const pausedEveryMs = 100
/**
 * Time in ms during which a process that has not left counts as missing. It may only be cut off from PostgreSQL, and
 * may still collect with its last configuration.
 */
const lostMs = 24 * 3_600_000

/**
 * Returns, for each collecting process, the spread changes for which it has paused.
 *
 * @throws Error while a missing process may still collect
 */
export const pausedProcesses = async (pool: Pick<Relational['pool'], 'query'>): Promise<(readonly string[])[]> => {
  const members = await seenMembers(pool, 'collect', lostMs)
  const missing = members.find(({ seenMs }) => seenMs > beats * defaultEveryMs)
  if (missing !== undefined)
    throw new Error(
      `A process that collects on ${missing.host} was not stopped, and has not been seen for ${Math.round(missing.seenMs / 1000)} seconds. It may still collect, cut off from PostgreSQL. Add --gone if it does not run any more`,
    )
  return members.map(({ held }) => held)
}

/**
 * Renews the row of this collecting process every `everyMs`, and immediately after it has paused for a spread change.
 * Also counts the collecting processes. Until the first result, the count is 1.
 */
export const countCollectingProcesses = ({
  pool,
  paused = () => [],
  logger,
  everyMs = defaultEveryMs,
}: {
  pool: Pick<Relational['pool'], 'query'>
  paused?: () => readonly string[]
  logger: Pick<Logger, 'warn'>
  everyMs?: number
}): CollectingProcesses => {
  const members = createMembers({
    pool,
    id: randomToken(9),
    host: hostname(),
    version,
    roles: ['collect'],
    ttlMs: beats * everyMs,
  })
  let known = 1
  let isAway = false
  let reported = ''
  let nextTime = 0
  const look = async (): Promise<void> => {
    try {
      const held = paused()
      known = (await members.beat(held)).filter(({ roles }) => roles.includes('collect')).length
      reported = held.join()
      isAway = false
    } catch (error) {
      if (!isAway)
        logger.warn({ err: error }, 'the number of processes that collect cannot be read now: the last one counts')
      isAway = true
    }
  }
  const begun = Promise.withResolvers<void>()
  const renewing = repeatTask(Math.min(everyMs, pausedEveryMs), async () => {
    if (performance.now() < nextTime && paused().join() === reported) return
    nextTime = performance.now() + everyMs
    await look()
    begun.resolve()
  })
  return {
    begun: begun.promise,
    count: () => known,
    async stop(isUnsure = false) {
      await renewing.stop()
      if (!isUnsure) await members.leave().catch(() => {})
    },
  }
}
