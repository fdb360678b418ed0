import { expect, test } from 'vitest'
import { progressText, valuesOf } from './privacy-words.ts'

test.each([
  ['u-1\nu-2', ['u-1', 'u-2']],
  [' u-1 \r\n\r\n"u 2"\nu-1\n', ['u-1', 'u 2']],
])('the list %j has the values %j', (text, values) => {
  expect(valuesOf(text)).toEqual({ values })
})

test.each([
  [' \n', 'Enter at least one identifier'],
  [Array.from({ length: 1001 }, (_, index) => `u-${index}`).join('\n'), 'Enter up to 1,000 identifiers'],
])('an empty list, and one that is too long, is reported', (text, problem) => {
  expect(valuesOf(text)).toEqual({ problem })
})

test.each([
  ['done', '', 'done'],
  ['failed', 'HTTP 404', 'failed'],
  ['waiting', '', '1 of 2 users'],
  ['not_told', 'no access token', 'not sent: no access token'],
] as const)('a destination with the state %s (%j) shows: %s', (state, reason, words) => {
  expect(progressText({ destination: 'd', title: 'D', state, told: 1, total: 2, reason })).toBe(words)
})
