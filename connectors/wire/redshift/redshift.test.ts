import { expect, test } from 'vitest'
import { digestReply } from './digest.ts'
import { shortest, shortestFloats } from './floats.ts'
import { isIdentifier } from './identifiers.ts'

test.each([
  [701, '0.10000000000000001', '0.1'],
  [701, '3.1415926535897931', '3.141592653589793'],
  [701, '1e+300', '1e+300'],
  [701, '-0', '-0'],
  [701, 'NaN', 'NaN'],
  [701, 'Infinity', 'Infinity'],
  [701, '9007199254740993', '9007199254740992'],
  [700, '0.10000000', '0.1'],
  [700, '16777216', '16777216'],
  [700, '3.1415927', '3.1415927'],
])('a floating-point number of type %i that is written %s is read as %s', (type, text, expected) => {
  expect(shortest(type, text)).toBe(expected)
})

test('only columns with floating-point numbers are changed', () => {
  expect(shortestFloats([20, 1700])).toBeUndefined()
  const convert = shortestFloats([1700, 701, 1043, 701])
  expect(convert?.(['0.10000000000000001', '0.10000000000000001', '0.10000000000000001', null])).toEqual([
    '0.10000000000000001',
    '0.1',
    '0.10000000000000001',
    null,
  ])
})

// SHA-256(SHA-256(password, salt), server nonce, client nonce), as `ExtensibleDigest` of AWS's driver computes it.
test('the answer to a digest has the digest and our nonce', () => {
  const request = Buffer.from('0000000d00000000000000020102000000020304', 'hex')
  const answer = digestReply('p', () => 5)(request)
  expect(answer?.toString('latin1', 0, 1)).toBe('d')
  expect(answer?.readUInt32BE(1)).toBe(4 + 4 + 32 + 4 + 1)
  expect(answer?.subarray(-5).toString('hex')).toBe('0000000135')
  expect(digestReply('p')(Buffer.from('0000000500000000', 'hex'))).toBeUndefined()
  expect(digestReply('p')(request.subarray(0, 14))).toBeUndefined()
})

test('a name has at most 127 bytes and no quotation marks', () => {
  expect(['a', 'ä'.repeat(63), 'ä'.repeat(64), 'a"', 'a\0', ''].map(isIdentifier)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})
