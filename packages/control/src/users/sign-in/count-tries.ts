import { createHash } from 'node:crypto'
import { rateLimited } from '@tributary/kernel'
import type { Counters } from '../../deps.ts'

/** Period in which attempts are counted, ms. */
export const tryWindowMs = 15 * 60_000

/** Returns the hash of an address for the name of a counter, because counters must not contain addresses. */
export const hiddenAddress = (email: string): string => createHash('sha256').update(email).digest('base64url')

/**
 * Counts an attempt before it is checked, so that concurrent attempts cannot bypass the limit. Throws 429 with
 * `message` if a limit is exceeded; the limits after it are not counted then. Put the limit of the place first and
 * shared limits last: then one place can neither use up shared limits nor fill the memory with counters. Returns a
 * function that undoes the count of an attempt that should not have counted.
 */
export const countTry = async (
  counters: Counters,
  limits: readonly (readonly [key: string, limit: number])[],
  message: string,
): Promise<() => Promise<void>> => {
  for (const [key, limit] of limits)
    if ((await counters.increment(key, 1, tryWindowMs)) > limit) throw rateLimited(message, tryWindowMs)
  return async () => {
    await Promise.all(limits.map(([key]) => counters.increment(key, -1, tryWindowMs)))
  }
}
