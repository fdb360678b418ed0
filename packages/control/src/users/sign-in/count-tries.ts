import { createHash } from 'node:crypto'
import { rateLimited } from '@tributary/kernel'
import type { Counters } from '../../deps.ts'

/** Over which time tries are counted, ms. */
export const tryWindowMs = 15 * 60_000

/** What an address is called in the name of a counter, which is no place for addresses. */
export const hiddenAddress = (email: string): string => createHash('sha256').update(email).digest('base64url')

/**
 * Counts a try before it is checked, so that many at once do not slip through. Throws 429 with `message` when one of the
 * limits is passed; those behind it are not counted then. Name the place first and what many places share last: then one
 * place can neither use up what others share nor fill the memory with counters. Returns what takes the try back again,
 * for those that should not have counted.
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
