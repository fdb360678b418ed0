import { expect, test } from 'vitest'
import { NewerFormat, requireKnownFormat } from './newer-format.ts'

test.each([[{}], [{ w: 'x', unknown: 1 }], [{ v: 1 }], ['text'], [null], [undefined], [[2]]])(
  'a value of the first form is read, whatever else is in it: %j',
  (value) => expect(requireKnownFormat('It', value)).toBeUndefined(),
)

test.each([[{ v: 2 }], [{ v: 'b' }], [{ v: null }]])('a value of a form that is not known is refused: %j', (value) =>
  expect(() => requireKnownFormat('It', value)).toThrow(NewerFormat),
)

test('a reader that supports the second form reads a value of it', () => {
  expect(requireKnownFormat('It', { v: 2 }, 2)).toBeUndefined()
  expect(() => requireKnownFormat('It', { v: 3 }, 2)).toThrow('newer version of Tributary')
})
