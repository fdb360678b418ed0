import type { LogPosition } from '@tributary/storage'
import { expect, test } from 'vitest'
import { createLogRetention } from './retention.ts'

test('a log is trimmed only to what is old enough, and never past what a consumer needs', async () => {
  const trims: (readonly LogPosition[])[] = []
  let needed: LogPosition[] = [{ partition: 0, offset: 7 }]
  let old: LogPosition[] = []
  const asked: number[] = []
  const retention = createLogRetention({
    log: { trim: async (before) => void trims.push(before) },
    positionsBefore: (time) => {
      asked.push(time)
      return old
    },
    keepMs: 300,
    needed: async () => needed,
    clock: () => 1000,
  })
  await retention.run()
  expect([asked, trims]).toEqual([[700], []])
  old = [
    { partition: 0, offset: 10 },
    { partition: 1, offset: 20 },
  ]
  await retention.run()
  needed = [{ partition: 0, offset: 100 }]
  await retention.run()
  expect(trims).toEqual([
    [
      { partition: 0, offset: 7 },
      { partition: 1, offset: 20 },
    ],
    old,
  ])
})
