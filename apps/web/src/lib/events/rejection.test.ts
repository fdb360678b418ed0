import { expect, test } from 'vitest'
import { rejectionOf } from './rejection.ts'

test.each([
  ['missing_ids: An event needs a userId.', 'missing_ids', 'An event needs a userId.'],
  ['too_large: At most 32768 bytes; got: 40000.', 'too_large', 'At most 32768 bytes; got: 40000.'],
  ['Code: 43. DB::Exception', '', 'Code: 43. DB::Exception'],
  ['missing_ids', '', 'missing_ids'],
  ['', '', 'No reason was given.'],
])('the reason %j has the code %j and the advice %j', (reason, code, advice) => {
  expect(rejectionOf(reason)).toEqual({ code, advice })
})
