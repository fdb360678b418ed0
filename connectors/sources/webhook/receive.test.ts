import { expect, test } from 'vitest'
import { receive } from './receive.ts'

const receivedAt = Date.parse('2026-01-01T00:00:00Z')
const run = (
  template: string | undefined,
  body: string,
  headers: Record<string, string> = {},
  query = '',
  method = 'POST',
) =>
  receive(
    { method, body: Buffer.from(body), headers, query: new URLSearchParams(query), receivedAt },
    template === undefined ? {} : { template },
  )

test('without a template, the general rule applies', () => {
  expect(run(undefined, '{"a":1}')).toBeUndefined()
  expect(run('  \n', '{"a":1}')).toBeUndefined()
})

test.each<[string, string, string, Record<string, string>, string, string, unknown[]]>([
  [
    'one event',
    '{"event":"Ticket {{ body.state }}","userId":"{{ body.user }}","properties":{{ body | json }}}',
    '{"state":"clo\\"sed","user":7}',
    {},
    '',
    'POST',
    [{ event: 'Ticket clo"sed', userId: '7', properties: { state: 'clo"sed', user: 7 } }],
  ],
  [
    'a list of events',
    '[{% for t in body %}{"event":"{{ t }}"}{% unless forloop.last %},{% endunless %}{% endfor %}]',
    '["a","b"]',
    {},
    '',
    'POST',
    [{ event: 'a' }, { event: 'b' }],
  ],
  ['no event', '{% if body.spam %}[]{% else %}{"event":"x"}{% endif %}', '{"spam":true}', {}, '', 'POST', []],
  [
    'headers, query and time',
    '{"event":"{{ headers.x-kind }}","properties":{"q":{{ query | json }}},"timestamp":"{{ now }}"}',
    '',
    { 'x-kind': 'paid' },
    'a=1&b=2&b=3',
    'GET',
    [{ event: 'paid', properties: { q: { a: '1', b: ['2', '3'] } }, timestamp: '2026-01-01T00:00:00.000Z' }],
  ],
  [
    'a form',
    '{"event":"{{ body.EventType }}"}',
    'EventType=onMessageAdded&Body=hi',
    { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    '',
    'POST',
    [{ event: 'onMessageAdded' }],
  ],
])('a template makes %s', (_, template, body, headers, query, method, events) => {
  expect(run(template, body, headers, query, method)).toEqual({ events })
})

test('a name such as __proto__ is treated like other names', () => {
  const receipt = run('{"event":"x","properties":{{ body | json }}}', '{"__proto__":{"admin":true}}')
  if (receipt === undefined || 'refusal' in receipt) throw new Error(JSON.stringify(receipt))
  expect(JSON.stringify(receipt.events)).toBe('[{"event":"x","properties":{"__proto__":{"admin":true}}}]')
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test.each([
  ['{"event":"x"}', '{', 'INVALID_JSON'],
  ['{"event":"{{ body.a | nope }}"}', '{}', 'TEMPLATE_FAILED'],
  ['{% for i in (1..100000000) %}{% endfor %}', '{}', 'TEMPLATE_FAILED'],
  ['{"event":{{ body.missing }}}', '{}', 'TEMPLATE_NOT_JSON'],
  ['"text"', '{}', 'TEMPLATE_NOT_EVENTS'],
  ['[{"event":"a"},1]', '{}', 'TEMPLATE_NOT_EVENTS'],
  [
    '[{% for i in (1..101) %}{"event":"a"}{% unless forloop.last %},{% endunless %}{% endfor %}]',
    '{}',
    'TEMPLATE_NOT_EVENTS',
  ],
])('the template %s with the body %s is refused as %s', (template, body, reason) => {
  expect(run(template, body)).toMatchObject({ refusal: { code: 400, reason } })
})

const formType = 'application/x-www-form-urlencoded'

test('a form is decoded by the charset that the call names, and refused if its bytes are invalid in that charset', () => {
  const template = '{"event":"{{ body.name }}"}'
  expect(run(template, 'name=Jos%E9', { 'content-type': `${formType}; charset=latin1` })).toEqual({
    events: [{ event: 'José' }],
  })
  expect(run(template, 'name=Jos%E9', { 'content-type': formType })).toMatchObject({
    refusal: { code: 400, reason: 'NOT_UTF8' },
  })
})

test('URL parameters that are not UTF-8 are refused only if the template reads them', () => {
  const call = {
    method: 'GET',
    body: Buffer.alloc(0),
    headers: {},
    query: new URLSearchParams('name=Jos%E9'),
    brokenQuery: true as const,
    receivedAt,
  }
  expect(receive(call, { template: '{"event":"x"}' })).toEqual({ events: [{ event: 'x' }] })
  expect(receive(call, { template: '{"event":"{{ query.name }}"}' })).toMatchObject({ refusal: { reason: 'NOT_UTF8' } })
})

test('a template reads numbers of the body with all digits, even beyond a double', () => {
  const template =
    '{"event":"x","userId":"{{ body.id }}","properties":{"next":{{ body.id | plus: 1 }},"all":{{ body | json }}}}'
  const receipt = run(template, '{"id":12345678901234567890,"price":1.0}')
  if (receipt === undefined || 'refusal' in receipt) throw new Error(JSON.stringify(receipt))
  expect(JSON.stringify(receipt.events)).toBe(
    '[{"event":"x","userId":"12345678901234567890","properties":{"next":12345678901234567891,"all":{"id":12345678901234567890,"price":1}}}]',
  )
})
