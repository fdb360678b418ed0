import type { RateLimit } from '@tributary/connector-kit'
import type { Lane } from '../log/record.ts'

/** A token bucket for the rate limit of a destination; each request takes one token. */
export type Bucket = {
  /** Returns the time in ms until a lane may start another request; 0 if it may start now. */
  wait(now: number, lane?: Lane): number
  /** Takes a token for a request that `wait` has allowed. */
  take(now: number): void
}

/** Share of the limit that may start at the same time. */
const burstShare = 0.05

/**
 * Creates a bucket that allows at most `requests` in any span of `perMs`. It holds a twentieth of `requests` as tokens,
 * at least one. It refills so much slower that a full bucket and its refill together equal the limit. A bucket with
 * several tokens keeps the last one for live requests.
 */
export const createBucket = ({ requests, perMs }: RateLimit): Bucket => {
  const size = 1 + Math.floor(requests * burstShare)
  const perToken = perMs / (requests - (size - 1))
  const kept = { live: 0, bulk: size > 1 ? 1 : 0 }
  let tokens = size
  let filled = Number.NEGATIVE_INFINITY
  const refill = (now: number): void => {
    // If the clock was set back, no tokens are added, and the next refill counts from the new time.
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
