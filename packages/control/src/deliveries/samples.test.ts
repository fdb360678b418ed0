import { requestText, responseText } from '@tributary/connector-kit'
import { expect, test } from 'vitest'
import { maskSample, ownPartOf } from './samples.ts'

const requestOf = (body: string, url = 'https://hooks.example/users/u-1?key=k'): string =>
  requestText(
    { method: 'POST', url, headers: { 'content-type': 'application/json', 'x-user': 'u-1' }, body },
    new Set(),
  )
const event = (id: string, more: object = {}): object => ({ messageId: id, userId: `user-of-${id}`, ...more })

test('a masked sample keeps its host, status, and names, and hides all values', () => {
  const body = JSON.stringify({
    batch: [event('m-1', { traits: { email: 'ada@example.com', age: 36, tags: ['vip', '"quoted"'], on: true } })],
  })
  const response = responseText(
    {
      status: 422,
      headers: { 'content-type': 'application/json', location: '/u-1' },
      body: '{"bad":"ada@example.com"}',
    },
    [],
  )
  const masked = maskSample({ request: requestOf(body), response, attempt: 1 })
  expect(masked).toEqual({
    attempt: 1,
    request: `POST https://hooks.example/•••
content-type: application/json
x-user: •••

{"batch":[{"messageId":"•••","userId":"•••","traits":{"email":"•••","age":"•••","tags":["•••","•••"],"on":"•••"}}]}`,
    response: `HTTP 422
content-type: application/json
location: •••

{"bad":"•••"}`,
  })
  expect(maskSample({ request: '', response: '' })).toEqual({ request: '', response: '' })
})

test.each([
  ['cut off within a text', requestOf(`{"a":"${'secret '.repeat(900)}`)],
  ['cut off within an escape', `POST https://h.example/\n\n{"a":"secret\\`],
  ['a form', requestOf('user=secret&mail=secret')],
  ['lines of text', requestOf('secret,secret\nsecret')],
  ['a statement of a database', "insert into users values ('secret')"],
  ['a statement with an empty line', "insert into users\n\nvalues ('secret')"],
  ['a text in a list', requestOf('["secret", secret]')],
  ['an address of somebody', requestOf('', 'https://h.example/users/secret')],
])('a masked sample contains none of its values: %s', (_, request) => {
  for (const sample of [
    { request, response: '' },
    { request: '', response: request },
  ])
    expect(JSON.stringify(maskSample(sample))).not.toContain('secret')
})

const own = (body: string, id = 'm-2'): string =>
  ownPartOf(`POST https://h.example/\n\n${body}`, id).split('\n\n')[1] ?? ''
const [one, two, three] = ['m-1', 'm-2', 'm-3'].map((id) => JSON.stringify(event(id))) as [string, string, string]

test.each([
  ['a list', `[${one},${two},${three}]`, `[…,${two},…]`],
  ['a list in an object', `{"sentAt":"x","batch":[${one},${two}],"n":1}`, `{"sentAt":"x","batch":[…,${two}],"n":1}`],
  [
    'behind a list of texts',
    `{"kinds":["a","b"],"batch":[${two},${one},${three}]}`,
    `{"kinds":["a","b"],"batch":[${two},…]}`,
  ],
  ['lines', `${one}\n${two}\n${three}\n`, `…\n${two}\n…\n`],
  ['cut off behind it', `[${two},${three.slice(0, 12)}`, `[${two},…`],
  ['cut off before it', `[${one},${three}`, '[…'],
  ['with braces in texts', `[{"messageId":"m-1","t":"]},{"},${two}]`, `[…,${two}]`],
])("a sample of a batch shows only the event's own part: %s", (_, body, shown) => {
  expect(own(body)).toBe(shown)
})

test.each([
  ['an event alone', two],
  ['a list of one', `{"batch":[${two}]}`],
  ['products of one event', `{"properties":{"products":[{"id":1},{"id":2}]},"messageId":"m-2"}`],
  ['elements without ids', '[{"email":"a"},{"email":"b"}]'],
  ['an id that stands twice', `[${two},${two}]`],
  ['no JSON', 'a=m-2&b=m-1'],
])('a request is shown completely if the parts of other events cannot be found: %s', (_, body) => {
  expect(own(body)).toBe(body)
})
