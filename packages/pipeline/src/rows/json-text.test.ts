import { describe, expect, it } from 'vitest'
import { storableJson } from './json-text.ts'

describe('storableJson', () => {
  it.each<[string, unknown, string]>([
    ['leaves ordinary values as they are', { a: 1, b: 'x\n"\\' }, '{"a":1,"b":"x\\n\\"\\\\"}'],
    ['replaces a lone surrogate', { a: '\ud800x' }, '{"a":"\\ufffdx"}'],
    ['keeps a backslash before what looks like a surrogate', { a: '\\ud800' }, '{"a":"\\\\ud800"}'],
    ['keeps a pair of surrogates', { a: '😀' }, '{"a":"😀"}'],
    ['replaces a lone surrogate in a key', { '\udc00': 1 }, '{"\\ufffd":1}'],
    [
      'writes integers beyond 64 bits with an exponent',
      [1e20, -1e19, 18446744073709551616],
      '[1e+20,-1e+19,1.8446744073709552e+19]',
    ],
    ['keeps integers within 64 bits', [2 ** 53, 1e19], '[9007199254740992,10000000000000000000]'],
    [
      'keeps long digits in strings',
      { a: '100000000000000000000', '99999999999999999999999': 'b' },
      '{"a":"100000000000000000000","99999999999999999999999":"b"}',
    ],
  ])('%s', (_, value, expected) => {
    expect(storableJson(JSON.stringify(value))).toBe(expected)
  })
})
