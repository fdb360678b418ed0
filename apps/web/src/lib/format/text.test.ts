import { describe, expect, test } from 'vitest'
import { defaultTitle, fieldErrorText, humanise, initials, pluralise, sentence, truncate } from './text.ts'

describe('truncate', () => {
  test.each([
    ['', ''],
    ['a'.repeat(24), 'a'.repeat(24)],
    ['a'.repeat(25), `${'a'.repeat(24)}...`],
    ['é'.repeat(24), 'é'.repeat(24)],
    ['😀'.repeat(25), `${'😀'.repeat(24)}...`],
  ])('NAV-28, EVT-10: truncate keeps the first 24 characters of %j', (text, shown) => {
    expect(truncate(text)).toBe(shown)
  })
})

describe('defaultTitle', () => {
  test.each([
    ['Node.js (server)', 0, 'Nodejs server'],
    ['Node.js (server)', 2, 'Nodejs server 2'],
    ['HTTP API', 1, 'HTTP API 1'],
    ['Ärzte & Co.', 0, 'Ärzte  Co'],
  ])('SRC-12, SRC-13, DST-05: the default title of %j with %i instances is %j', (title, instances, expected) => {
    expect(defaultTitle({ title, instance_count: instances })).toBe(expected)
  })
})

test.each([
  [0, 'events'],
  [1, 'event'],
  [2, 'events'],
])('UI-24: the plural of event for %i is %s', (count, word) => {
  expect(pluralise(count, 'event')).toBe(word)
})

test.each([
  ['a_b-c', 'a b c'],
  ['firstName', 'first Name'],
  ['HTTP2', 'HTTP2'],
])('UI-25, UI-26: %s is shown as %s', (text, words) => {
  expect(humanise(text)).toBe(words)
})

test.each([
  ['email taken', 'Email taken'],
  ['', 'Error'],
  ['  ', 'Error'],
  [undefined, 'Error'],
])('FORM-11, FORM-12: the field error %j is shown as %j', (text, shown) => {
  expect(fieldErrorText(text)).toBe(shown)
})

test.each([
  ['Jane Doe', 'JD'],
  ['Jane van der Doe', 'JD'],
  ['Acme', 'AC'],
  ['x', 'X'],
  [' ', ''],
])('the initials of %j are %j', (title, letters) => {
  expect(initials(title)).toBe(letters)
})

test.each([
  ['The row was refused', 'The row was refused.'],
  ['Try again?', 'Try again?'],
  ['', ''],
])('the message %j as a sentence is %j', (message, text) => {
  expect(sentence(message)).toBe(text)
})
