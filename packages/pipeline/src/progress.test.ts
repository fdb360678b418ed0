import { noMetrics, silentLogger } from '@tributary/kernel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { backlogTopic } from './pipeline-lag.ts'
import { createProgress } from './progress.ts'
import { positionsTopic } from './stored-positions.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const start = () => {
  const stored = new Map([[0, 5]])
  const ends = [5, 0]
  const messages: { topic: string; message: unknown }[] = []
  const progress = createProgress({
    coordination: { publish: (topic, message) => void messages.push({ topic, message }) },
    clock: () => Date.now(),
    logger: silentLogger,
    metrics: noMetrics,
    journal: { expire: async () => {} },
    reader: { ends: async () => ends },
    store: { committed: () => stored, oldest: () => undefined },
    settings: { reportMs: 1000 },
  })
  progress.begin([0, 0])
  progress.start()
  const takeMessages = (topic: string): unknown[] =>
    messages
      .splice(0)
      .filter((each) => each.topic === topic)
      .map(({ message }) => message)
  return { progress, stored, ends, takeMessages }
}

test('unchanged progress is published every five seconds, and changed progress with the next report', async () => {
  const { progress, stored, ends, takeMessages } = start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(takeMessages(positionsTopic)).toEqual([[5, 0]])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(takeMessages(positionsTopic)).toHaveLength(12)
  stored.set(1, 3)
  ends[1] = 3
  await vi.advanceTimersByTimeAsync(1000)
  expect(takeMessages(positionsTopic)).toEqual([[5, 3]])
  progress.close(new Error('the test ends'))
})

test('a backlog is published with each report', async () => {
  const { progress, ends, takeMessages } = start()
  progress.read(100)
  ends[0] = 7
  await vi.advanceTimersByTimeAsync(10_000)
  expect(takeMessages(backlogTopic)).toHaveLength(10)
  progress.close(new Error('the test ends'))
})
