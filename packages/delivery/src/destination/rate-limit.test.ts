import { describe, expect, it } from 'vitest'
import { createBucket } from './rate-limit.ts'

/** Returns the start times of this many requests, each as early as the bucket allows. */
const starts = (limit: { requests: number; perMs: number }, count: number, lateMs = 0): number[] => {
  const bucket = createBucket(limit)
  let now = 1000
  return Array.from({ length: count }, () => {
    const wait = bucket.wait(now)
    if (wait > 0) now += wait + lateMs
    expect(bucket.wait(now)).toBe(0)
    bucket.take(now)
    return now
  })
}

/** Returns the maximum number of starts in any span of this many ms. */
const maxStarts = (times: readonly number[], perMs: number): number =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + perMs).length))

describe('a bucket', () => {
  it.each([
    { requests: 1, perMs: 1000 },
    { requests: 3, perMs: 1000 },
    { requests: 10, perMs: 100 },
    { requests: 100, perMs: 1000 },
    { requests: 1000, perMs: 60_000 },
  ])('a bucket never allows more than $requests in any $perMs ms, and nearly uses the full rate', (limit) => {
    const times = starts(limit, limit.requests * 4)
    expect(maxStarts(times, limit.perMs)).toBeLessThanOrEqual(limit.requests)
    const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
    expect(span).toBeLessThanOrEqual(limit.perMs * 4 * 1.1)
  })

  it('a bucket keeps the limit even if it is queried late', () => {
    const limit = { requests: 100, perMs: 1000 }
    expect(maxStarts(starts(limit, 400, 37), limit.perMs)).toBeLessThanOrEqual(100)
  })

  it('a bucket does not refill while the clock goes back', () => {
    const bucket = createBucket({ requests: 1, perMs: 1000 })
    bucket.take(5000)
    expect(bucket.wait(4000)).toBe(1000)
    expect(bucket.wait(4500)).toBe(500)
  })
})
