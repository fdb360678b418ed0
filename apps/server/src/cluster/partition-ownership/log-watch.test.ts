import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchLog } from './log-watch.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('a log counts as silent from its first failed or unanswered request until it responds again', async () => {
  let answer: () => Promise<unknown> = async () => {}
  const asked = vi.fn(() => answer())
  const watch = watchLog(asked)
  await vi.advanceTimersByTimeAsync(5000)
  expect(watch.silentMs()).toBe(0)
  answer = () => Promise.reject(new Error('away'))
  await vi.advanceTimersByTimeAsync(4000)
  expect(watch.silentMs()).toBe(3000)
  answer = async () => {}
  await vi.advanceTimersByTimeAsync(1000)
  expect(watch.silentMs()).toBe(0)
  // The log hangs, and no other request is sent to it in the meantime.
  const hanging = Promise.withResolvers<void>()
  answer = () => hanging.promise
  const before = asked.mock.calls.length
  await vi.advanceTimersByTimeAsync(8000)
  expect([watch.silentMs(), asked.mock.calls.length - before]).toEqual([7000, 1])
  hanging.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(watch.silentMs()).toBe(0)
  watch.stop()
})
