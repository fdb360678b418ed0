import { expect, test } from 'vitest'
import { maskKey } from './guide.ts'

test('a masked key shows its first four characters and never its length', () => {
  expect(maskKey('abcdefgh')).toBe(`abcd${'•'.repeat(16)}`)
  expect(maskKey('abcdefghijklmnop')).toBe(`abcd${'•'.repeat(16)}`)
})
