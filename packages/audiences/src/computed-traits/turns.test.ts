import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

/** The owners of the next turns, when all of `busy` have more to do after each of theirs. */
const take = (turns: ReturnType<typeof createTurns>, busy: readonly string[], count: number): (string | undefined)[] =>
  Array.from({ length: count }, () => {
    turns.offer(busy)
    const id = turns.next(0)
    if (id !== undefined) turns.served(id, 0)
    return id
  })

test('who always has more to do gets one turn between those of each other one', () => {
  expect(take(createTurns(), ['heavy', 'a', 'b'], 7)).toEqual(['heavy', 'a', 'b', 'heavy', 'a', 'b', 'heavy'])
})

test('who comes later waits for one turn of each who waits already, whatever order they are named in', () => {
  const turns = createTurns()
  expect(take(turns, ['heavy', 'a'], 1)).toEqual(['heavy'])
  expect(take(turns, ['late', 'heavy', 'a'], 5)).toEqual(['a', 'heavy', 'late', 'a', 'heavy'])
})

test('an owner that may not have a turn yet delays no other, and one that is done is forgotten', () => {
  const turns = createTurns()
  turns.offer(['failed', 'a'])
  turns.served('failed', 100)
  expect(turns.next(99)).toBe('a')
  turns.served('a', 200)
  expect([turns.next(99), turns.next(100)]).toEqual([undefined, 'failed'])
  turns.offer(['a'])
  expect([turns.next(100), turns.next(200)]).toEqual([undefined, 'a'])
})
