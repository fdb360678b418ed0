import { expect, test } from 'vitest'
import { createQuota } from './quota.ts'

test('a workspace has its share and no more, whatever others have waiting', () => {
  const quota = createQuota(100)
  expect([quota.reserve('a', 60), quota.reserve('a', 60), quota.reserve('a', 1)]).toEqual([true, true, false])
  expect(quota.isFull('a')).toBe(true)
  expect(quota.reserve('b', 99)).toBe(true)
  expect(quota.isFull('b')).toBe(false)
})

test('what is processed or could not be written makes room', () => {
  const quota = createQuota(100)
  quota.reserve('a', 100)
  quota.processed({ a: 30 })
  expect(quota.isFull('a')).toBe(false)
  quota.reserve('a', 30)
  expect(quota.isFull('a')).toBe(true)
  quota.release('a', 30)
  expect(quota.isFull('a')).toBe(false)
})

test('reports are totals: the same report twice counts once, a lower one comes from a pipeline that started anew', () => {
  const quota = createQuota(100)
  quota.reserve('a', 180)
  quota.processed({ a: 40 })
  quota.processed({ a: 40 })
  expect(quota.isFull('a')).toBe(true)
  quota.processed({ a: 30 })
  expect(quota.isFull('a')).toBe(true)
  quota.processed({ a: 45 })
  expect(quota.isFull('a')).toBe(false)
})

test('what was accepted before this process started never makes the count negative', () => {
  const quota = createQuota(100)
  quota.processed({ a: 1_000_000 })
  quota.reserve('a', 100)
  expect(quota.isFull('a')).toBe(true)
})

test.each([null, 7, 'text', [], { a: 'many' }, { a: null }])('a report of another shape is ignored: %j', (report) => {
  const quota = createQuota(10)
  quota.reserve('a', 10)
  quota.processed(report)
  expect(quota.isFull('a')).toBe(true)
})
