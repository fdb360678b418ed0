import { expect, test } from 'vitest'
import { NewerFormat, requireKnownFormat } from './newer-format.ts'

test.each([[{}], [{ w: 'x', unknown: 1 }], [{ v: 1 }], ['text'], [null], [undefined], [[2]]])(
  'a value in format 1 is accepted, with any other members: %j',
  (value) => expect(requireKnownFormat('It', value)).toBeUndefined(),
)

test.each([[{ v: 2 }], [{ v: 'b' }], [{ v: null }]])('a value in an unknown format is rejected: %j', (value) =>
  expect(() => requireKnownFormat('It', value)).toThrow(NewerFormat),
)

test('a reader that supports format 2 accepts a value in format 2', () => {
  expect(requireKnownFormat('It', { v: 2 }, 2)).toBeUndefined()
  expect(() => requireKnownFormat('It', { v: 3 }, 2)).toThrow('newer version of Tributary')
})
