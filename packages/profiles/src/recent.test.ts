import { expect, test } from 'vitest'
import { createRecent, type Fact, FactWriter, factKey } from './recent.ts'

const factOf = (...texts: string[]): Fact => {
  const writer = new FactWriter().begin()
  for (const text of texts) writer.add(text)
  return writer.kept()
}
const facts = (from: number, count: number): Fact[] =>
  Array.from({ length: count }, (_, n) => factOf('w', `user_id:${from + n}`))

test('the key of a fact depends on its texts, their order, and their boundaries', () => {
  const texts = [['a', 'bc'], ['ab', 'c'], ['abc'], ['abc', ''], ['', 'abc'], ['bc', 'a'], ['a', 'b', 'c'], []]
  expect(new Set(texts.map((each) => factKey(factOf(...each)))).size).toBe(texts.length)
  const begun = new FactWriter().begin().add('a').kept()
  expect(new FactWriter().begin(begun).add('bc').kept()).toEqual(factOf('a', 'bc'))
})

test('the cache contains added facts, and no others', () => {
  const recent = createRecent(20)
  for (const fact of facts(0, 100_000)) recent.add(fact)
  expect(facts(0, 100_000).filter((fact) => recent.has(fact)).length).toBeGreaterThan(99_900)
  expect(facts(100_000, 400_000).filter((fact) => recent.has(fact))).toEqual([])
})

test('when the cache of facts is full, recently used facts stay and others are evicted', () => {
  const recent = createRecent(10)
  const used = factOf('w', 'used')
  recent.add(used)
  for (const fact of facts(1, 100_000)) {
    recent.add(fact)
    expect(recent.has(used)).toBe(true)
  }
  expect(facts(1, 100_000).filter((fact) => recent.has(fact)).length).toBeLessThanOrEqual(1024)
})
