import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSendLoop } from './send-loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a sender without work looks at its longest interval, and at once when it is woken', async () => {
  let turns = 0
  const loop = createSendLoop(
    async () => {
      turns += 1
      return { found: false, more: false }
    },
    () => {},
    5000,
  )
  loop.start()
  await vi.advanceTimersByTimeAsync(30_000)
  turns = 0
  await vi.advanceTimersByTimeAsync(60_000)
  expect(turns).toBe(12)
  loop.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(turns).toBe(13)
  await loop.stop()
  expect(vi.getTimerCount()).toBe(0)
})
