import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRest } from './rest.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a rest lasts its time, unless it is ended', async () => {
  const rest = createRest()
  const over = vi.fn()
  void rest.take(1000).then(over)
  await vi.advanceTimersByTimeAsync(999)
  expect(over).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(over).toHaveBeenCalledTimes(1)
  void rest.take(1000).then(over)
  rest.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(over).toHaveBeenCalledTimes(2)
  expect(vi.getTimerCount()).toBe(0)
})

test('a wake-up does not end the least duration of a rest, but a stop does', async () => {
  const rest = createRest()
  const over = vi.fn()
  rest.wake()
  void rest.take(1000, 100).then(over)
  rest.wake()
  await vi.advanceTimersByTimeAsync(99)
  expect(over).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(over).toHaveBeenCalledTimes(1)
  for (const isBefore of [true, false]) {
    if (isBefore) rest.stop()
    const taken = rest.take(1000, 100)
    if (!isBefore) rest.stop()
    await taken
  }
  expect(vi.getTimerCount()).toBe(0)
})

test('a wake-up between two rests ends the next one, and only that', async () => {
  const rest = createRest()
  const over = vi.fn()
  rest.wake()
  await rest.take(1000)
  void rest.take(1000).then(over)
  await vi.advanceTimersByTimeAsync(999)
  expect(over).not.toHaveBeenCalled()
})
