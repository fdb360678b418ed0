import { expect, test } from 'vitest'
import { causeOf } from './failure-words.ts'

const group = { reason: '', http_status: null, attempts: 1, response: '' }

test.each([
  [
    { ...group, reason: 'HTTP 422', http_status: 422, response: 'HTTP 422\n\n{"message":"no such order"}' },
    'no such order',
  ],
  [{ ...group, reason: 'HTTP 422', http_status: 422 }, 'Unprocessable content'],
  [{ ...group, http_status: 503, response: 'HTTP 503\n\nback soon' }, 'back soon'],
  [{ ...group, reason: 'The key was refused', http_status: 401, response: 'HTTP 401\n\nno' }, 'The key was refused'],
  [{ ...group, reason: 'limit' }, 'Held too long'],
  [{ ...group, attempts: 0 }, 'Not attempted yet'],
  [group, 'No response'],
])('the cause of %j has the title %j, and the status is shown beside it', (failure, cause) => {
  expect(causeOf(failure)).toBe(cause)
})
