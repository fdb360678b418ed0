import { describe, expect, test } from 'vitest'
import { countryCode } from './customers.ts'
import { fromStripe, toStripe } from './objects.ts'
import { customerIn, isSigned } from './webhook.ts'

const start = 1_772_600_767

describe('a webhook', () => {
  test.each(['', 'v1=00', 't=1', `t=${start},v1=zz`, `t=x,v1=${'0'.repeat(64)}`, `t=${start},v1=${'0'.repeat(64)}`])(
    'a webhook with the signature %j is not validly signed',
    (header) => {
      expect(isSigned(Buffer.from('{}'), header, 'whsec_peer', start * 1000)).toBe(false)
    },
  )

  test.each(['', '[]', '{"data":{}}', '{"id":"e","livemode":false,"data":{"object":{"id":"x","object":"invoice"}}}'])(
    'a webhook with the body %j has no customer',
    (text) => {
      expect(customerIn(Buffer.from(text), { secretKey: 'sk_test_1' })).toBeUndefined()
    },
  )
})

test.each([
  [1050, 'USD', 1050],
  [1050, 'JPY', 1050],
  [1050, 'UGX', 105_000],
  [1050, 'KWD', 1050],
])('%i minor units of %s are sent to Stripe as %i, and read back', (amount, currency, counted) => {
  expect(toStripe(amount, currency)).toBe(counted)
  expect(fromStripe(counted, currency)).toBe(amount)
})

test.each([
  ['de', 'DE'],
  ['Germany', 'DE'],
  ['united states', 'US'],
  ['Atlantis', undefined],
])('the country %s has the code %s', (text, code) => {
  expect(countryCode(text)).toBe(code)
})
