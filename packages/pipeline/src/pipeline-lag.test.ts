import { expect, test, vi } from 'vitest'
import { watchPipelineLag } from './pipeline-lag.ts'

test('the pipeline is behind when what was accepted three seconds ago is not stored, whatever came since', async () => {
  vi.useFakeTimers()
  try {
    let ends = [10]
    let storedTo = 0
    const lag = watchPipelineLag({
      requests: { ends: () => Promise.resolve(ends) },
      stored: { isBehind: ([end = 0]) => end > storedTo },
      now: Date.now,
    })
    await vi.advanceTimersByTimeAsync(1000)
    ends = [20]
    await vi.advanceTimersByTimeAsync(2500)
    expect(lag.isBehind()).toBe(false)
    await vi.advanceTimersByTimeAsync(1000)
    expect(lag.isBehind()).toBe(true)
    storedTo = 10
    expect(lag.isBehind()).toBe(false)
    await vi.advanceTimersByTimeAsync(3000)
    expect(lag.isBehind()).toBe(true)
    storedTo = 20
    expect(lag.isBehind()).toBe(false)
    lag.close()
  } finally {
    vi.useRealTimers()
  }
})
