import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPace } from './pace.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Returns the second in which a body was late; `bytesAt` gives the bytes that arrive at each full second. */
const lateAt = (bytesAt: (second: number) => number, forSeconds = 100): number | undefined => {
  const pace = createPace({ windowMs: 4000, windowBytes: 1000, totalMs: 30_000 }, () => Date.now())
  const start = Date.now()
  let late: number | undefined
  const body = {
    bytes: 0,
    late: () => {
      late = (Date.now() - start) / 1000
    },
  }
  pace.watch(body)
  for (let second = 1; second <= forSeconds && late === undefined; second++) {
    body.bytes += bytesAt(second)
    vi.advanceTimersByTime(1000)
  }
  pace.done(body)
  expect(pace.watched()).toBe(0)
  return late
}

test.each<[string, (second: number) => number, number | undefined]>([
  ['nothing comes', () => 0, 5],
  ['it comes at a trickle', () => 200, 5],
  ['it comes at once and then stops', (second) => (second === 2 ? 1_000_000 : 0), 9],
  ['it comes fast enough but never ends', () => 300, 31],
])('a body is late if %s', (_, bytesAt, expected) => {
  expect(lateAt(bytesAt)).toBe(expected)
})

test('a body that ends within the time limit is not reported as late, and no timer runs without bodies', () => {
  expect(lateAt(() => 300, 20)).toBeUndefined()
  vi.advanceTimersByTime(10_000)
  expect(vi.getTimerCount()).toBe(0)
})
