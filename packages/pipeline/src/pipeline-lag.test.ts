import { expect, test, vi } from 'vitest'
import { backlogTopic, watchPipelineLag } from './pipeline-lag.ts'

test('the pipeline is behind if a request accepted three seconds ago is not stored, regardless of newer ones', async () => {
  vi.useFakeTimers()
  try {
    let ends = [10]
    let storedTo = 0
    const lag = watchPipelineLag({
      requests: { ends: () => Promise.resolve(ends) },
      stored: { isBehind: ([end = 0]) => end > storedTo },
      coordination: { subscribe: () => () => {} },
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

test('the pipeline is behind immediately if more bytes wait than fit into one insert, as long as it keeps reporting them', () => {
  let time = 0
  let tell: (bytes: unknown) => void = () => {}
  const lag = watchPipelineLag({
    requests: { ends: () => Promise.resolve([0]) },
    stored: { isBehind: () => false },
    coordination: {
      subscribe(topic, hear) {
        if (topic === backlogTopic) tell = hear
        return () => {}
      },
    },
    now: () => time,
  })
  const MiB = 1024 * 1024
  expect(lag.isBehind()).toBe(false)
  tell(100 * MiB)
  expect(lag.isBehind()).toBe(true)
  time += 2000
  expect(lag.isBehind()).toBe(true)
  // A pipeline that has ended publishes nothing more.
  time += 2000
  expect(lag.isBehind()).toBe(false)
  tell(100 * MiB)
  tell(5 * MiB)
  expect(lag.isBehind()).toBe(false)
  lag.close()
})
