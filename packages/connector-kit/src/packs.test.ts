import { expect, it } from 'vitest'
import { packsBySize } from './packs.ts'

it.each([
  [[], 10, []],
  [['aa', 'bb', 'cc'], 100, [[0, 1, 2]]],
  // [aa,bb] has 7 bytes.
  [['aa', 'bb', 'cc'], 7, [[0, 1], [2]]],
  [['aa', 'bb', 'cc'], 6, [[0], [1], [2]]],
  [['a', 'x'.repeat(50), 'b'], 10, [[0], [1], [2]]],
  // Bytes, not characters.
  [['€', '€'], 8, [[0], [1]]],
])('%j in lists of %i bytes', (texts, maxBytes, wanted) => {
  expect(packsBySize(texts, maxBytes)).toEqual(wanted)
})
