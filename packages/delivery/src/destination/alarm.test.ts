import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAlarm } from './sending.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('an alarm rings once, at the earliest of the set times, and can be set again afterwards', () => {
  const ring = vi.fn()
  const alarm = createAlarm(Date.now, ring)
  for (const ms of [50, 20, 80, Number.POSITIVE_INFINITY]) alarm.ringIn(ms)
  vi.advanceTimersByTime(19)
  expect(ring).not.toHaveBeenCalled()
  vi.advanceTimersByTime(200)
  expect(ring).toHaveBeenCalledOnce()
  alarm.ringIn(5)
  vi.advanceTimersByTime(5)
  expect(ring).toHaveBeenCalledTimes(2)
})

it('an alarm does not ring after it is stopped', () => {
  const ring = vi.fn()
  const alarm = createAlarm(Date.now, ring)
  alarm.ringIn(5)
  alarm.stop()
  vi.advanceTimersByTime(10)
  expect(ring).not.toHaveBeenCalled()
})
