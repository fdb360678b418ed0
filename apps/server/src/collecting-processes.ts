import { hostname } from 'node:os'
import { type Logger, randomToken } from '@tributary/kernel'
import { createMembers, type Relational } from '@tributary/storage'
import { version } from './built.ts'

export type CollectingProcesses = {
  /** How many processes collect, this one included; while PostgreSQL is away as many as were known last. */
  count(): number
  stop(): Promise<void>
}

/** Says every `everyMs` that this process collects, and counts those that do: it begins as if it was alone. */
export const countCollectingProcesses = ({
  pool,
  logger,
  everyMs = 2000,
}: {
  pool: Pick<Relational['pool'], 'query'>
  logger: Pick<Logger, 'warn'>
  everyMs?: number
}): CollectingProcesses => {
  const members = createMembers({
    pool,
    id: randomToken(9),
    host: hostname(),
    version,
    roles: ['collect'],
    // Two beats may fail, and the third be late.
    ttlMs: 4 * everyMs,
  })
  let known = 1
  let isAway = false
  let looking = Promise.resolve()
  const look = async (): Promise<void> => {
    try {
      known = (await members.beat([])).filter(({ roles }) => roles.includes('collect')).length
      isAway = false
    } catch (error) {
      if (!isAway) logger.warn({ err: error }, 'It cannot be asked how many processes collect')
      isAway = true
    }
  }
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    looking = look().finally(() => {
      isLooking = false
    })
  }, everyMs)
  looking = look()
  return {
    count: () => known,
    async stop() {
      clearInterval(timer)
      await looking
      await members.leave().catch(() => {})
    },
  }
}
