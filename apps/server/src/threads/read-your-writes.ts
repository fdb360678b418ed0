import type { CacheFollower } from '@tributary/contract'
import type { ApiDeps } from '@tributary/http'
import type { Logger } from '@tributary/kernel'

/**
 * Waits until the followers of a change have read it, so that it applies to the user's next action (such as sending an
 * event with a new key). On a busy machine a follower takes a second, and without the wait an event would never be sent
 * to a new destination. So the wait ends after `deadlineMs` only if a follower hangs. A cache that cannot refresh now
 * does so later by itself, and its failure does not end the wait for the others.
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
