import { systemClock } from '@tributary/kernel'
import { createForgottenUsers } from '@tributary/profiles'

/** Time in ms for which deletions are kept in memory: no event waits longer to be read or delivered. */
const keepMs = 90 * 24 * 3_600_000
/** How often the deletions are read, ms. */
const everyMs = 1000

/**
 * Keeps the deleted users in memory, and reads them each second until `stop`, which waits for the last reading. While
 * the database is down, the last known deletions apply.
 */
export const followDeletedUsers = (
  db: Parameters<typeof createForgottenUsers>[0]['db'],
): { forgotten: ReturnType<typeof createForgottenUsers>; stop(): Promise<void> } => {
  const forgotten = createForgottenUsers({ db, keepMs, clock: systemClock })
  let refreshing: Promise<void> | undefined
  const timer = setInterval(() => {
    refreshing ??= forgotten
      .refresh()
      .catch(() => {})
      .finally(() => {
        refreshing = undefined
      })
  }, everyMs)
  return {
    forgotten,
    async stop(): Promise<void> {
      clearInterval(timer)
      await refreshing
    },
  }
}
