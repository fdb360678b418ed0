import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createReread } from './live-reread.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** When the list was read, ms, after something was left out at these moments. */
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

test('what is left out once is read once, when it is stored', () => {
  expect(readsAfter([0])).toEqual([2500])
})

test('what is left out while a read is due is not lost with it: one read comes after both', () => {
  expect(readsAfter([0, 2400])).toEqual([4900])
  expect(readsAfter([0, 2501])).toEqual([2500, 5001])
})

test('while something is left out all the time it is read every five seconds, and after the last once more', () => {
  const moments = Array.from({ length: 100 }, (_, index) => index * 100)
  expect(readsAfter(moments)).toEqual([5000, 9900, 12_400])
})

test('stopped, nothing is read until something is left out again', () => {
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
