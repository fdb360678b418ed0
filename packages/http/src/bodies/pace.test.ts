import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPace } from './pace.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A watched body to which `bytesAt` gives so many bytes at each full second; the second in which it was late. */
const lateAt = (bytesAt: (second: number) => number, forSeconds = 100): number | undefined => {
  const pace = createPace({ windowMs: 4000, windowBytes: 1000, totalMs: 30_000 }, () => Date.now())
  const start = Date.now()
  let late: number | undefined
  const body = pace.watch(() => {
    late = (Date.now() - start) / 1000
  })
  for (let second = 1; second <= forSeconds && late === undefined; second++) {
    body.came(bytesAt(second))
    vi.advanceTimersByTime(1000)
  }
  body.done()
  expect(pace.watched()).toBe(0)
  return late
}

test.each<[string, (second: number) => number, number | undefined]>([
  ['nothing comes', () => 0, 4],
  ['it comes at a trickle', () => 200, 4],
  ['it comes at once and then stops', (second) => (second === 1 ? 1_000_000 : 0), 8],
  ['it comes fast enough but never ends', () => 300, 30],
])('a body is late when %s', (_, bytesAt, expected) => {
  expect(lateAt(bytesAt)).toBe(expected)
})

test('a body that ends in time is never late, and no timer runs without bodies', () => {
  expect(lateAt(() => 300, 20)).toBeUndefined()
  vi.advanceTimersByTime(10_000)
  expect(vi.getTimerCount()).toBe(0)
})
