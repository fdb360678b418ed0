import { expect, test } from 'vitest'
import { lookAlike } from './look-alike.ts'

test.each([
  ['ada ', 'Spaces around it'],
  ['a\u200bda', 'Invisible characters'],
  ['a\u00a0da', 'Invisible characters'],
  ['\u0430da', 'Mixed alphabets'],
  ['ren\u0065\u0301', 'Combined characters'],
])('the identifier %j causes a warning, because it looks like another one', (value, warning) => {
  expect(lookAlike(value)).toBe(warning)
})

test.each(['ada@example.com', 'Ada Lovelace', '\u0430\u0434\u0430', 'ren\u00e9', '4f0b-9d37', '\u5f20\u4f1f'])(
  'the identifier %j causes no warning',
  (value) => {
    expect(lookAlike(value)).toBeUndefined()
  },
)
