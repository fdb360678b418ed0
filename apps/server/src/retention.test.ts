import type { LogPosition, LogStats } from '@tributary/storage'
import { expect, test } from 'vitest'
import { createLogRetention } from './retention.ts'

const hour = 3_600_000

test('a log is trimmed only to where it was long enough ago, and never past what a consumer needs', async () => {
  let now = 0
  let next = [10, 20]
  let needed: LogPosition[] = [{ partition: 0, offset: 7 }]
  const trims: (readonly LogPosition[])[] = []
  const retention = createLogRetention({
    log: {
      stats: async (): Promise<LogStats> => ({
        bytes: 0,
        partitions: next.map((end, partition) => ({ partition, first: 0, next: end })),
      }),
      trim: async (before) => void trims.push(before),
    },
    keepMs: 2 * hour,
    needed: async () => needed,
    clock: () => now,
  })
  await retention.run()
  now = hour
  next = [30, 40]
  await retention.run()
  expect(trims).toEqual([])
  now = 2 * hour
  await retention.run()
  expect(trims).toEqual([
    [
      { partition: 0, offset: 7 },
      { partition: 1, offset: 20 },
    ],
  ])
  now = 3 * hour
  needed = [{ partition: 0, offset: 100 }]
  await retention.run()
  expect(trims[1]).toEqual([
    { partition: 0, offset: 30 },
    { partition: 1, offset: 40 },
  ])
})
