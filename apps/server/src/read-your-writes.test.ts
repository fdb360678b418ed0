import { expect, test } from 'vitest'
import { createReadYourWritesBarrier } from './read-your-writes.ts'

const never = () => new Promise(() => {})

test('a write is read when those who follow it have seen it, and others are not asked', async () => {
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
      'sync-api': async () => void asked.push('sync-api'),
    },
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

test('who cannot follow, or not in time, is waited for no longer', async () => {
  const barrier = createReadYourWritesBarrier(
    {
      collection: never,
      pipeline: never,
      delivery: () => Promise.reject(new Error('away')),
      profiles: never,
      'profile-api': never,
      'sync-api': never,
    },
    1,
  )
  await barrier(['collection'])
  await barrier(['delivery'])
})
