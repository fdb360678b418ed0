import { expect, test } from 'vitest'
import { attemptCause, responseCause } from './response-cause.ts'

const answer = (body: string, head = 'HTTP 422\ncontent-type: application/json'): string => `${head}\n\n${body}`

test.each([
  ['{"message":"email is not valid"}', 'email is not valid'],
  ['{"error":{"message":"no such order","code":7}}', 'no such order'],
  ['{"error":"invalid_key","error_description":"The key has expired"}', 'The key has expired'],
  ['{"errors":[{"field":"a","detail":"a is required"},{"detail":"b"}]}', 'a is required'],
  ['{"errors":["first","second"]}', 'first'],
  ['{"title":"Unprocessable","status":422}', 'Unprocessable'],
  ['{"Message":"Access denied"}', 'Access denied'],
  ['["only this"]', 'only this'],
  ['"quoted"', 'quoted'],
  ['{"ok":false}', ''],
  ['{"message":{"a":{"b":{"c":{"message":"too deep"}}}}}', ''],
  ['\n  no such hook  \nsecond line', 'no such hook'],
  ['<html><head><title>502 Bad Gateway</title></head><body>x</body></html>', '502 Bad Gateway'],
  ['<html><style>p{}</style><p>Closed for\n today</p>', 'Closed for'],
  ['{"message":"cut sh', ''],
  ['{"message":"kept","items":[{"id":1},{"i', 'kept'],
  ['', ''],
])('the response %j has the cause %j', (body, cause) => {
  expect(responseCause(answer(body))).toBe(cause)
})

test('a response without a body has no cause, a body without a head is read, and a long text is cut to 200 characters', () => {
  expect(responseCause('HTTP 422\ncontent-type: text/plain')).toBe('')
  expect(responseCause('no')).toBe('no')
  expect(responseCause('')).toBe('')
  expect(responseCause(answer(`{"message":"${'x'.repeat(5000)}"}`))).toHaveLength(200)
})

test.each([
  ['HTTP 422', 422, answer('{"message":"email is not valid"}'), 'email is not valid'],
  ['HTTP 422', 422, answer(''), 'Unprocessable content'],
  ['HTTP 599', 599, '', 'No reason given'],
  ['The token was revoked', 401, answer('{"message":"no"}'), 'The token was revoked'],
  ['Discarded. HTTP 422', 422, answer('no'), 'Discarded. HTTP 422'],
  ['', 0, '', ''],
])('the cause of %j with status %i is a text without the status', (reason, status, response, cause) => {
  expect(attemptCause(reason, status, response)).toBe(cause)
})
