import { expect, test } from 'vitest'
import { createRecent } from './recent.ts'

const facts = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `w\0user_id:${from + n}`)

test('what was added is known, and what was not is not', () => {
  const recent = createRecent(20)
  for (const fact of facts(0, 100_000)) recent.add(fact)
  expect(facts(0, 100_000).filter((fact) => recent.has(fact)).length).toBeGreaterThan(99_900)
  expect(facts(100_000, 400_000).filter((fact) => recent.has(fact))).toEqual([])
})

test('beyond its size the facts that are asked for stay, and others make room', () => {
  const recent = createRecent(10)
  const [used = ''] = facts(0, 1)
  recent.add(used)
  for (const fact of facts(1, 100_000)) {
    recent.add(fact)
    expect(recent.has(used)).toBe(true)
  }
  expect(facts(1, 100_000).filter((fact) => recent.has(fact)).length).toBeLessThanOrEqual(1024)
})
