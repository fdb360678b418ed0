import { expect, test } from 'vitest'
import { networkOf } from './client.ts'

test.each([
  ['198.51.100.7', '198.51.100.8', false],
  ['198.51.100.7', '198.51.100.7', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:2::1', '2001:0db8:0001:0002::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['', '', true],
])('%s and %s share what is for one address: %s', (one, other, expected) => {
  expect(networkOf(one) === networkOf(other)).toBe(expected)
})
