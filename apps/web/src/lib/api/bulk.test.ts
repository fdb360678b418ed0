import { expect, test } from 'vitest'
import { runBulk } from './bulk.ts'

test('each object is processed once, at most four at a time, and a failure names its object and does not stop others', async () => {
  const items = Array.from({ length: 25 }, (_, index) => index)
  const done: number[] = []
  let running = 0
  let most = 0
  const progress: number[] = []
  const failures = await runBulk(
    items,
    async (item) => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      done.push(item)
      if (item % 10 === 3) throw new Error(`no ${item}`)
    },
    { onProgress: (settled) => progress.push(settled) },
  )
  expect(done.toSorted((one, other) => one - other)).toEqual(items)
  expect(most).toBe(4)
  expect(failures.map(({ item, error }) => [item, error.message])).toEqual([
    [3, 'no 3'],
    [13, 'no 13'],
    [23, 'no 23'],
  ])
  expect(progress).toEqual(items.map((item) => item + 1))
})

test('objects that were not started before the stop are left unchanged', async () => {
  const stop = new AbortController()
  const done: number[] = []
  await runBulk(
    Array.from({ length: 20 }, (_, index) => index),
    async (item) => {
      done.push(item)
      if (item === 5) stop.abort()
      await Promise.resolve()
    },
    { signal: stop.signal },
  )
  expect(done.length).toBeLessThan(12)
})
