import type { RefillFrom } from '@tributary/pipeline'
import { expect, test } from 'vitest'
import { GroupBeginning, GroupUnowned } from '../partition-ownership/group-questions.ts'
import { askRefill, refills } from './refills.ts'

test('a refill runs once, after others of its workspace, and is reported as done or failed at its end', async () => {
  const begun: (RefillFrom | undefined)[] = []
  const ends: PromiseWithResolvers<void>[] = []
  const ask = refills(async (_, from) => {
    begun.push(from)
    const end = Promise.withResolvers<void>()
    ends.push(end)
    await end.promise
  })
  const one = { workspaceId: 'w', run: 'one' }
  const two = { workspaceId: 'w', run: 'two', since: 7, places: '3-0000000009-a' }
  expect([await ask(one), await ask(one), await ask(two)]).toEqual([false, false, false])
  expect(begun).toEqual([undefined])
  ends[0]?.resolve()
  await expect.poll(() => ask(one)).toBe(true)
  expect(await ask(one)).toBe(true)
  await expect
    .poll(() => begun)
    .toEqual([undefined, { time: 7, places: [{ partition: 3, offset: 9, incarnation: 'a' }] }])
  ends[1]?.reject(new Error('The event store is away'))
  await expect.poll(() => ask(two).then(String, (error: Error) => error.message)).toBe('The event store is away')
})

test('if an owner has ended, the next owner is awaited; a failure is reported immediately', async () => {
  const answers: unknown[] = [false, new GroupUnowned('gone'), new GroupBeginning('begins'), false, true]
  const asked: unknown[] = []
  const refill = async (request: object): Promise<boolean> => {
    asked.push(JSON.stringify(request))
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer === true
  }
  const about = { workspaceId: 'w', since: 7 }
  await askRefill(refill, about, new AbortController().signal)
  expect(asked).toHaveLength(5)
  expect(new Set(asked).size).toBe(1)
  answers.push(new Error('The event store is away'), true)
  await expect(askRefill(refill, about, new AbortController().signal)).rejects.toThrow('is away')
  answers.splice(0, 1, new GroupUnowned('gone'))
  await expect(askRefill(refill, about, AbortSignal.abort())).rejects.toThrow('aborted')
})
