import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWaiting } from './waiting.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a waiter that gets notices looks about once a second while nothing comes, and at once after a notice', async () => {
  const waiting = createWaiting(25, 1000)
  let looks = 0
  let isThere = false
  const done = waiting.until(() => {
    looks += 1
    return isThere
  }, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looks).toBeGreaterThan(55)
  expect(looks).toBeLessThan(70)
  isThere = true
  waiting.notice()
  await done
  expect(vi.getTimerCount()).toBe(0)
})
