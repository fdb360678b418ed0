import { expect, test } from 'vitest'
import { createBacklog } from './backlog.ts'

test('a workspace has its share and no more, whatever others have waiting', () => {
  const backlog = createBacklog(100)
  expect([backlog.take('a', 60), backlog.take('a', 60), backlog.take('a', 1)]).toEqual([true, true, false])
  expect(backlog.isFull('a')).toBe(true)
  expect(backlog.take('b', 99)).toBe(true)
  expect(backlog.isFull('b')).toBe(false)
})

test('what is processed or could not be written makes room', () => {
  const backlog = createBacklog(100)
  backlog.take('a', 100)
  backlog.processed({ a: 30 })
  expect(backlog.isFull('a')).toBe(false)
  backlog.take('a', 30)
  expect(backlog.isFull('a')).toBe(true)
  backlog.giveBack('a', 30)
  expect(backlog.isFull('a')).toBe(false)
})

test('reports are totals: the same report twice counts once, a lower one comes from a pipeline that started anew', () => {
  const backlog = createBacklog(100)
  backlog.take('a', 180)
  backlog.processed({ a: 40 })
  backlog.processed({ a: 40 })
  expect(backlog.isFull('a')).toBe(true)
  backlog.processed({ a: 30 })
  expect(backlog.isFull('a')).toBe(true)
  backlog.processed({ a: 45 })
  expect(backlog.isFull('a')).toBe(false)
})

test('what was accepted before this process started never makes the count negative', () => {
  const backlog = createBacklog(100)
  backlog.processed({ a: 1_000_000 })
  backlog.take('a', 100)
  expect(backlog.isFull('a')).toBe(true)
})

test.each([null, 7, 'text', [], { a: 'many' }, { a: null }])('a report of another shape is ignored: %j', (report) => {
  const backlog = createBacklog(10)
  backlog.take('a', 10)
  backlog.processed(report)
  expect(backlog.isFull('a')).toBe(true)
})
