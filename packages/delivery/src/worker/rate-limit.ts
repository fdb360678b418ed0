import type { RateLimit } from '@tributary/connector-kit'

/** A token bucket: what a destination allows, spent one request at a time. */
export type Bucket = {
  /** Ms until another request may start; 0 when one may start now. */
  wait(now: number): number
  /** Spends one request, which `wait` has allowed. */
  take(now: number): void
}

/** Share of the limit that may go at once. */
const burstShare = 0.05

/**
 * A bucket that never lets more than `requests` start in any span of `perMs`: it holds a twentieth of them, at least one,
 * and what it holds is taken off what it is refilled with. A full bucket and its refill together are the limit.
 */
export const createBucket = ({ requests, perMs }: RateLimit): Bucket => {
  const size = 1 + Math.floor(requests * burstShare)
  const perToken = perMs / (requests - (size - 1))
  let tokens = size
  let filled = Number.NEGATIVE_INFINITY
  const refill = (now: number): void => {
    // A clock that was set back refills nothing, and nothing is waited for twice.
    if (now > filled) tokens = Math.min(size, tokens + (now - filled) / perToken)
    filled = now
  }
  return {
    wait: (now) => {
      refill(now)
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) * perToken)
    },
    take: (now) => {
      refill(now)
      tokens -= 1
    },
  }
}
