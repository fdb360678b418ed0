import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createQuietRests } from './quiet-rests.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('an offered record ends the rests of both loops', async () => {
  const quiet = createQuietRests()
  const over = vi.fn()
  void quiet.take('tick').then(over)
  void quiet.take('write').then(over)
  quiet.offered()
  await vi.advanceTimersByTimeAsync(0)
  expect(over).toHaveBeenCalledTimes(2)
})

test('a record that is offered while no loop rests does not shorten a later rest', async () => {
  const quiet = createQuietRests()
  const over = vi.fn()
  quiet.offered()
  void quiet.take('tick').then(over)
  await vi.advanceTimersByTimeAsync(249)
  expect(over).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(over).toHaveBeenCalledTimes(1)
})
