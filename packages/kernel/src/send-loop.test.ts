import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSendLoop } from './send-loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a sender without work looks at its longest interval, and at once when it is woken later', async () => {
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
  await vi.advanceTimersByTimeAsync(100)
  loop.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(turns).toBe(13)
  await loop.stop()
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  ['that finds nothing', async () => ({ found: false, more: false }), 10],
  ['that sends all', async () => ({ found: true, more: false }), 10],
  ['that fails', () => Promise.reject(new Error('unavailable')), 4],
])('a sender %s rests between turns, although each turn wakes it', async (_title, result, turnsPerSecond) => {
  let turns = 0
  const loop = createSendLoop(
    async () => {
      turns += 1
      // A bound, because a loop without rests would not end.
      if (turns < 1000) loop.wake()
      return await result()
    },
    () => {},
    5000,
  )
  loop.start()
  await vi.advanceTimersByTimeAsync(999)
  expect(turns).toBe(turnsPerSecond)
  await loop.stop()
  expect(vi.getTimerCount()).toBe(0)
})
