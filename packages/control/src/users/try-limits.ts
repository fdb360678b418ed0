import { createHash } from 'node:crypto'
import { AppError } from '@tributary/kernel'
import type { Counters } from '../deps.ts'

/** Over which time tries are counted, ms. */
export const tryWindowMs = 15 * 60_000

/** What an address is called in the name of a counter, which is no place for addresses. */
export const hiddenAddress = (email: string): string => createHash('sha256').update(email).digest('base64url')

/**
 * Counts a try before it is checked, so that many at once do not slip through. Throws 429 with `message` when one of the
 * limits is passed. Returns what takes the try back again, for those that should not have counted.
 */
export const countTry = async (
  counters: Counters,
  limits: readonly (readonly [key: string, limit: number])[],
  message: string,
): Promise<() => Promise<void>> => {
  const counts = await Promise.all(limits.map(([key]) => counters.increment(key, 1, tryWindowMs)))
  if (limits.some(([, limit], index) => (counts[index] ?? 0) > limit))
    throw new AppError(429, 'RATE_LIMITED', message, { retry_after: String(tryWindowMs / 1000) })
  return async () => {
    await Promise.all(limits.map(([key]) => counters.increment(key, -1, tryWindowMs)))
  }
}
