import type { CacheFollower } from '@tributary/contract'
import type { ApiDeps } from '@tributary/http'

/**
 * Waits until those who follow a change have seen it, so that what a user does next (send an event with the new key)
 * finds it in force. Waits at most `deadlineMs`: a snapshot that cannot follow now does so by itself later.
 */
export const createReadYourWritesBarrier =
  (
    refresh: Readonly<Record<CacheFollower, () => Promise<unknown>>>,
    deadlineMs = 1000,
  ): NonNullable<ApiDeps['readYourWrites']> =>
  async (followers) => {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, deadlineMs)
    const seen = Promise.all(followers.map((follower) => refresh[follower]()))
    await Promise.race([seen.catch(() => {}), late.promise])
    clearTimeout(timer)
  }
