import { expect, test } from 'vitest'
import { chooseEncoding } from './content-encoding.ts'

const all = ['br', 'gzip', 'identity'] as const

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['x-gzip', 'gzip'],
  ['BR;Q=0.9, GZIP;q=0.1', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br ; q=0.5 , gzip', 'gzip'],
  ['br;q=0, gzip;q=0.001', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['identity', 'identity'],
  ['identity;q=1, br;q=0.5', 'identity'],
  ['identity;q=0.5, br;q=0.5', 'br'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, *;q=0.5', 'gzip'],
  ['deflate', 'identity'],
  ['gzip;q=nonsense', 'gzip'],
  [', ,;q=1', 'identity'],
])('Accept-Encoding %j gets %s', (header, coding) => {
  expect(chooseEncoding(header, all)).toBe(coding)
})

test('an encoding without a stored copy is never chosen', () => {
  expect(chooseEncoding('br, gzip;q=0.5', ['gzip', 'identity'])).toBe('gzip')
  expect(chooseEncoding('br, gzip', ['identity'])).toBe('identity')
})
