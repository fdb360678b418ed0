import { expect, test } from 'vitest'
import { isOfPattern, prefixOf } from './key-pattern.ts'

test.each([
  ['a/b.csv', 'a/b.csv', true],
  ['a/b.csv', 'a/b.csv.gz', false],
  ['a/*.csv', 'a/b/c.csv', true],
  ['a/*.csv', 'a/.csv', true],
  ['a/*.csv', 'b/x.csv', false],
  ['a*a', 'a', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['*', 'anything (1).csv', true],
  ['a.c', 'abc', false],
])('the pattern %s matches the key %s: %s', (pattern, key, wanted) => {
  expect(isOfPattern(key, pattern)).toBe(wanted)
})

test('the prefix of a key pattern is the text before its first wildcard', () => {
  expect(prefixOf('a/b*c*')).toBe('a/b')
  expect(prefixOf('a/b.csv')).toBe('a/b.csv')
})
