import { expect, test } from 'vitest'
import { characterAt, cutText } from './cut-text.ts'

test.each([
  ['abc', 5, 'abc'],
  ['abc', 2, 'ab'],
  ['a🙂b', 2, 'a'],
  ['a🙂b', 3, 'a🙂'],
  ['🙂', 1, ''],
  ['a\ud83d', 1, 'a'],
  ['\ud83dab', 1, '\ud83d'],
  ['日本語', 2, '日本'],
  ['abc', 0, ''],
])('%j is cut to at most %i units: %j', (text, length, cut) => {
  expect(cutText(text, length)).toBe(cut)
})

test.each([
  ['abc', 1, 'b'],
  ['a🙂b', 1, '🙂'],
  ['a🙂b', 2, '🙂'],
  ['a🙂b', 3, 'b'],
  ['\ud83da', 0, '\ud83d'],
  ['a\ude42', 1, '\ude42'],
  ['abc', 3, ''],
  ['', 0, ''],
  ['', -1, ''],
])('the whole character of %j at %i is %j', (text, index, character) => {
  expect(characterAt(text, index)).toBe(character)
})
