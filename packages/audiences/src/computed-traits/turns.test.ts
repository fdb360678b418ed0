import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

/** Returns the owners of the next turns, if every owner in `busy` still has work after its turn. */
const take = (turns: ReturnType<typeof createTurns>, busy: readonly string[], count: number): (string | undefined)[] =>
  Array.from({ length: count }, () => {
    turns.offer(busy)
    const id = turns.next(0)
    if (id !== undefined) turns.served(id, 0)
    return id
  })

test('an owner that always has work gets one turn for each turn of the other owners', () => {
  expect(take(createTurns(), ['heavy', 'a', 'b'], 7)).toEqual(['heavy', 'a', 'b', 'heavy', 'a', 'b', 'heavy'])
})

test('a new owner waits for one turn of each waiting owner, whatever the order in which the owners are listed', () => {
  const turns = createTurns()
  expect(take(turns, ['heavy', 'a'], 1)).toEqual(['heavy'])
  expect(take(turns, ['late', 'heavy', 'a'], 5)).toEqual(['a', 'heavy', 'late', 'a', 'heavy'])
})

test('an owner that must wait does not delay the others, and an owner without work is removed', () => {
  const turns = createTurns()
  turns.offer(['failed', 'a'])
  turns.served('failed', 100)
  expect(turns.next(99)).toBe('a')
  turns.served('a', 200)
  expect([turns.next(99), turns.next(100)]).toEqual([undefined, 'failed'])
  turns.offer(['a'])
  expect([turns.next(100), turns.next(200)]).toEqual([undefined, 'a'])
})
