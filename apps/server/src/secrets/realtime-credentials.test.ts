import { expect, test } from 'vitest'
import { realtimeCredentials } from './realtime-credentials.ts'

test("the app ID has only digits, as the protocol's Python library requires; key and secret are derived from the secret key", () => {
  const one = realtimeCredentials('a secret key of the product, one')
  const other = realtimeCredentials('a secret key of the product, other')
  expect(one.appId).toMatch(/^[0-9]+$/)
  expect(one).toEqual(realtimeCredentials('a secret key of the product, one'))
  expect([one.key, one.secret]).toEqual([
    expect.stringMatching(/^[0-9a-f]{20}$/),
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ])
  expect(other.appId).toBe(one.appId)
  expect([other.key === one.key, other.secret === one.secret]).toEqual([false, false])
})
