import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pacedWake, threadConsumer } from './consumers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the first wake comes at once, and those within the time after it come once, at its end', () => {
  const wake = vi.fn()
  const paced = pacedWake(wake, 20)
  paced()
  expect(wake).toHaveBeenCalledTimes(1)
  paced()
  paced()
  expect(wake).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(20)
  expect(wake).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(100)
  expect(wake).toHaveBeenCalledTimes(2)
  paced()
  expect(wake).toHaveBeenCalledTimes(3)
})

test('only a consumer that may catch up later is woken less often than records come', () => {
  const counts = (['holds', 'catches-up'] as const).map((whenBehind) => {
    const wake = vi.fn()
    const thread = { wake, ask: () => Promise.reject(new Error('Not asked')) }
    const consumer = threadConsumer('consumer', whenBehind, thread)
    for (let n = 0; n < 5; n++) consumer.wake()
    return wake.mock.calls.length
  })
  expect(counts).toEqual([5, 1])
})
