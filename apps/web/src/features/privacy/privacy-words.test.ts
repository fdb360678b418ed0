import { expect, test } from 'vitest'
import { toldWords, valuesOf } from './privacy-words.ts'

test.each([
  ['u-1\nu-2', ['u-1', 'u-2']],
  [' u-1 \r\n\r\n"u 2"\nu-1\n', ['u-1', 'u 2']],
])('of the list %j the values are %j', (text, values) => {
  expect(valuesOf(text)).toEqual({ values })
})

test.each([
  [' \n', 'Enter at least one identifier'],
  [Array.from({ length: 1001 }, (_, index) => `u-${index}`).join('\n'), 'Enter up to 1,000 identifiers'],
])('a list with nothing in it, or too much, is told', (text, problem) => {
  expect(valuesOf(text)).toEqual({ problem })
})

test.each([
  ['done', '', 'told'],
  ['failed', 'HTTP 404', 'failed'],
  ['waiting', '', 'told of 1 of 2'],
  ['not_told', 'no access token', 'not told: no access token'],
] as const)('a destination that is %s (%j) was %s', (state, reason, words) => {
  expect(toldWords({ destination: 'd', title: 'D', state, told: 1, total: 2, reason })).toBe(words)
})
