import { expect, test } from 'vitest'
import { createRounds } from './rounds.ts'

const nextRound = () => new Promise((resolve) => setImmediate(resolve))

test('so many jobs are done in a round of the event loop, in order, and so many wait', async () => {
  const done: number[] = []
  const rounds = createRounds({ perRound: 2, waiting: 5 })
  const taken = Array.from({ length: 7 }, (_, job) => rounds.add(() => done.push(job)))
  expect(taken).toEqual([true, true, true, true, true, false, false])
  const seen: number[] = []
  while (done.length < 5) {
    await nextRound()
    seen.push(done.length)
  }
  expect(seen).toEqual([2, 4, 5])
  expect(done).toEqual([0, 1, 2, 3, 4])
  expect(rounds.add(() => done.push(9))).toBe(true)
  await nextRound()
  expect(done.at(-1)).toBe(9)
})
