import type { RateLimit } from '@tributary/connector-kit'
import type { Lane } from './lane.ts'

/** A token bucket: what a destination allows, spent one request at a time. */
export type Bucket = {
  /** Ms until another request may start, of a lane; 0 when one may start now. */
  wait(now: number, lane?: Lane): number
  /** Spends one request, which `wait` has allowed. */
  take(now: number): void
}

/** Share of the limit that may go at once. */
const burstShare = 0.05

/**
 * A bucket that never lets more than `requests` start in any span of `perMs`: it holds a twentieth of them, at least one,
 * and what it holds is taken off what it is refilled with. A full bucket and its refill together are the limit. Where it holds more than one, bulk
 * leaves one, so that a live request finds it.
 */
export const createBucket = ({ requests, perMs }: RateLimit): Bucket => {
  const size = 1 + Math.floor(requests * burstShare)
  const perToken = perMs / (requests - (size - 1))
  const kept = { live: 0, bulk: size > 1 ? 1 : 0 }
  let tokens = size
  let filled = Number.NEGATIVE_INFINITY
  const refill = (now: number): void => {
    // A clock that was set back refills nothing, and nothing is waited for twice.
    if (now > filled) tokens = Math.min(size, tokens + (now - filled) / perToken)
    filled = now
  }
  return {
    wait: (now, lane = 'live') => {
      refill(now)
      const needed = 1 + kept[lane]
      return tokens >= needed ? 0 : Math.ceil((needed - tokens) * perToken)
    },
    take: (now) => {
      refill(now)
      tokens -= 1
    },
  }
}
