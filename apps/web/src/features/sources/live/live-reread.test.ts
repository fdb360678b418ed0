import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createReread } from './live-reread.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Returns the times in ms at which the list is loaded if events are omitted at the times `moments`. */
const readsAfter = (moments: readonly number[], until = 60_000): number[] => {
  const began = Date.now()
  const reads: number[] = []
  const reread = createReread(() => reads.push(Date.now() - began), 2500)
  for (const moment of moments) {
    vi.advanceTimersByTime(began + moment - Date.now())
    reread.ask()
  }
  vi.advanceTimersByTime(began + until - Date.now())
  return reads
}

test('events that were omitted together are loaded once, when they are stored', () => {
  expect(readsAfter([0])).toEqual([2500])
})

test('events that are omitted while a load is due need another load after it', () => {
  expect(readsAfter([0, 2400])).toEqual([4900])
  expect(readsAfter([0, 2501])).toEqual([2500, 5001])
})

test('while events keep being omitted, there is a load every five seconds, and one after the last', () => {
  const moments = Array.from({ length: 100 }, (_, index) => index * 100)
  expect(readsAfter(moments)).toEqual([5000, 9900, 12_400])
})

test('after stop, nothing is loaded until events are omitted again', () => {
  const read = vi.fn()
  const reread = createReread(read, 2500)
  reread.ask()
  reread.stop()
  vi.advanceTimersByTime(10_000)
  expect(read).not.toHaveBeenCalled()
  reread.ask()
  vi.advanceTimersByTime(2500)
  expect(read).toHaveBeenCalledOnce()
})
