import type { CacheFollower } from '@tributary/contract'
import type { ApiDeps } from '@tributary/http'
import type { Logger } from '@tributary/kernel'

/**
 * Waits until those who follow a change have seen it, so that what a user does next (send an event with the new key)
 * finds it in force. On a busy machine a follower takes a second, and an event that is quicker is never sent to a new
 * destination: the wait ends after `deadlineMs` alone, when something hangs. A snapshot that cannot follow now does so by
 * itself later; one that cannot keeps nobody from waiting for the others.
 */
export const createReadYourWritesBarrier =
  (
    refresh: Readonly<Record<CacheFollower, () => Promise<unknown>>>,
    logger: Pick<Logger, 'warn'>,
    deadlineMs = 10_000,
  ): NonNullable<ApiDeps['readYourWrites']> =>
  async (followers) => {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      logger.warn({ followers }, 'a change was answered before all who follow it have seen it')
      late.resolve()
    }, deadlineMs)
    const seen = Promise.allSettled(followers.map((follower) => refresh[follower]()))
    await Promise.race([seen, late.promise])
    clearTimeout(timer)
  }
