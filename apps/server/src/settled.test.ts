import { expect, test } from 'vitest'
import { createSettle } from './settled.ts'

const never = () => new Promise(() => {})

test('a change is settled when those who follow it have seen it, and others are not asked', async () => {
  const asked: string[] = []
  const collection = Promise.withResolvers<void>()
  const settle = createSettle(
    {
      collection: () => {
        asked.push('collection')
        return collection.promise
      },
      pipeline: async () => void asked.push('pipeline'),
      delivery: async () => void asked.push('delivery'),
    },
    60_000,
  )
  let settled = false
  const waiting = settle(['collection', 'pipeline']).then(() => {
    settled = true
  })
  expect(asked).toEqual(['collection', 'pipeline'])
  await new Promise(setImmediate)
  expect(settled).toBe(false)
  collection.resolve()
  await waiting
})

test('who cannot follow, or not in time, is waited for no longer', async () => {
  const settle = createSettle(
    { collection: never, pipeline: never, delivery: () => Promise.reject(new Error('away')) },
    1,
  )
  await settle(['collection'])
  await settle(['delivery'])
})
