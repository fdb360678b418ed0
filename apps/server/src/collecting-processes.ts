import { hostname } from 'node:os'
import { type Logger, randomToken } from '@tributary/kernel'
import { createMembers, type Relational, seenMembers } from '@tributary/storage'
import { version } from './built.ts'

/** Forgets processes that collect and have not been seen for a while: somebody says that they do not run any more. */
export const forgetGone = async (pool: Pick<Relational['pool'], 'query'>): Promise<void> => {
  await pool.query(
    `delete from processes where 'collect' = any(roles) and seen_time < clock_timestamp() - $1 * interval '1 millisecond'`,
    [beats * defaultEveryMs],
  )
}

export type CollectingProcesses = {
  /** Resolves when this process was counted, or could not be. */
  begun: Promise<void>
  /** How many processes collect, this one included; while PostgreSQL is away as many as were known last. */
  count(): number
  /** Leaves, unless something of it may still come to be in the log: then it stays as one that was killed. */
  stop(isUnsure?: boolean): Promise<void>
}

/** How often a process says that it is there, ms. */
const defaultEveryMs = 2000
/** Two beats may fail, and the third be late. */
const beats = 4
/** How soon others hear that this process has paused, ms. */
const pausedEveryMs = 100
/** One that was seen within this, ms, and has not left, may be cut off from PostgreSQL alone, and go on with what it knew. */
const lostMs = 24 * 3_600_000

/**
 * For each process that collects, the changes of spreads for which it has paused.
 *
 * @throws Error while one is missing that may go on collecting
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
 * Says every `everyMs` that this process collects, and at once for which changes of spreads it has paused, and counts those that do: it begins as
 * if it was alone.
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
  let looking = Promise.resolve()
  let told = ''
  const look = async (): Promise<void> => {
    try {
      const held = paused()
      known = (await members.beat(held)).filter(({ roles }) => roles.includes('collect')).length
      told = held.join()
      isAway = false
    } catch (error) {
      if (!isAway) logger.warn({ err: error }, 'It cannot be asked how many processes collect')
      isAway = true
    }
  }
  let isLooking = false
  const lookNow = (): void => {
    if (isLooking) return
    isLooking = true
    looking = look().finally(() => {
      isLooking = false
    })
  }
  const timers = [
    setInterval(lookNow, everyMs),
    setInterval(() => {
      if (paused().join() !== told) lookNow()
    }, pausedEveryMs),
  ]
  lookNow()
  const begun = looking
  return {
    begun,
    count: () => known,
    async stop(isUnsure = false) {
      for (const timer of timers) clearInterval(timer)
      await looking
      if (!isUnsure) await members.leave().catch(() => {})
    },
  }
}
