import { silentLogger } from '@tributary/kernel'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createReadYourWritesBarrier } from './read-your-writes.ts'

const never = () => new Promise(() => {})

test('the barrier passes when the followers of the change have read it, and does not ask other followers', async () => {
  const asked: string[] = []
  const collection = Promise.withResolvers<void>()
  const barrier = createReadYourWritesBarrier(
    {
      collection: () => {
        asked.push('collection')
        return collection.promise
      },
      pipeline: async () => void asked.push('pipeline'),
      delivery: async () => void asked.push('delivery'),
      profiles: async () => void asked.push('profiles'),
      'profile-api': async () => void asked.push('profile-api'),
      signals: async () => void asked.push('signals'),
      'sync-api': async () => void asked.push('sync-api'),
    },
    silentLogger,
    60_000,
  )
  let passed = false
  const waiting = barrier(['collection', 'pipeline']).then(() => {
    passed = true
  })
  expect(asked).toEqual(['collection', 'pipeline'])
  await new Promise(setImmediate)
  expect(passed).toBe(false)
  collection.resolve()
  await waiting
})

const following = (refresh: Partial<Record<'collection' | 'pipeline' | 'delivery', () => Promise<unknown>>>) => {
  const others = { profiles: never, 'profile-api': never, signals: never, 'sync-api': never }
  return { collection: never, pipeline: never, delivery: never, ...others, ...refresh }
}

test('the barrier waits for a slow follower, but not without limit for one that hangs, which is logged', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const said: unknown[] = []
  const slowly = () => new Promise((resolve) => setTimeout(resolve, 8000))
  const barrier = createReadYourWritesBarrier(following({ pipeline: slowly }), {
    warn: (fields: object) => void said.push(fields),
  })
  const passed: string[] = []
  void barrier(['pipeline']).then(() => passed.push('slow'))
  void barrier(['delivery']).then(() => passed.push('never'))
  await vi.advanceTimersByTimeAsync(7900)
  expect(passed).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  expect(passed).toEqual(['slow'])
  expect(said).toEqual([])
  await vi.advanceTimersByTimeAsync(2000)
  expect(passed).toEqual(['slow', 'never'])
  expect(said).toEqual([{ followers: ['delivery'] }])
})

test('a follower that fails does not end the wait for the others', async () => {
  const pipeline = Promise.withResolvers<void>()
  const away = () => Promise.reject(new Error('away'))
  const barrier = createReadYourWritesBarrier(
    following({ delivery: away, pipeline: () => pipeline.promise }),
    silentLogger,
  )
  await barrier(['delivery'])
  let passed = false
  const waiting = barrier(['delivery', 'pipeline']).then(() => {
    passed = true
  })
  await new Promise(setImmediate)
  expect(passed).toBe(false)
  pipeline.resolve()
  await waiting
})
