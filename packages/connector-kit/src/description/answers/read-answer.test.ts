import { expect, it } from 'vitest'
import { describedAnswers } from '../format/schema-requests.ts'
import { readAnswer, waitOf } from './read-answer.ts'

const now = Date.parse('2026-01-02T03:04:05.000Z')
const hour = 3_600_000

it.each<[string, Record<string, string>, unknown, object | undefined, number | undefined]>([
  ['seconds', { 'retry-after': '7' }, undefined, undefined, 7000],
  ['a date', { 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, undefined, undefined, 30_000],
  ['a date in the past', { 'retry-after': 'Fri, 02 Jan 2026 03:00:00 GMT' }, undefined, undefined, 0],
  ['a year', { 'retry-after': '31536000' }, undefined, undefined, hour],
  ['no number', { 'retry-after': 'soon' }, undefined, undefined, undefined],
  ['nothing', {}, undefined, undefined, undefined],
  ['milliseconds', { 'x-wait': '1500' }, undefined, { header: 'X-Wait', unit: 'milliseconds' }, 1500],
  [
    'a time in seconds',
    { 'x-reset': String(now / 1000 + 12) },
    undefined,
    { header: 'X-Reset', unit: 'epoch_seconds' },
    12_000,
  ],
  ['a time in ms', { 'x-reset': String(now + 12) }, undefined, { header: 'x-reset', unit: 'epoch_milliseconds' }, 12],
  ['a time of next year', { 'x-reset': '1798860000' }, undefined, { header: 'x-reset', unit: 'epoch_seconds' }, hour],
  ['a negative number', { 'x-wait': '-5' }, undefined, { header: 'x-wait', unit: 'seconds' }, undefined],
  ['the body', {}, { retry_after: 0.3 }, { path: 'retry_after', unit: 'seconds' }, 300],
  ['the standard header', { 'retry-after': '2' }, {}, { path: 'retry_after', unit: 'seconds' }, 2000],
])('the wait of the vendor is read from %s', (_, headers, body, described, expected) => {
  const retry = describedAnswers.parse({ retry_after: described }).retry_after
  expect(waitOf({ headers }, body, retry, now)).toBe(expected)
})

const page = '<!doctype html><html><title>Sign in</title></html>'

const read = (
  answer: { status: number; body?: string; headers?: Record<string, string> },
  described: object = {},
  items = 1,
) =>
  readAnswer({
    answer: { headers: {}, body: '', latencyMs: 0, ...answer },
    answers: describedAnswers.parse(described),
    items: Array.from({ length: items }, () => ({ value: {}, place: '' })),
    title: 'Sample',
    secrets: ['s3cr3t-1'],
    now,
  })

it.each<[string, { status: number; body?: string }, object, object]>([
  ['success', { status: 204 }, {}, { kind: 'all', outcome: { kind: 'delivered' } }],
  ['a web page', { status: 200, body: page }, {}, { kind: 'misconfigured' }],
  ['a redirect', { status: 302 }, {}, { kind: 'misconfigured' }],
  ['a refusal', { status: 404 }, {}, { kind: 'all', outcome: { kind: 'rejected', reason: 'HTTP 404' } }],
  ['a fault', { status: 502, body: page }, {}, { kind: 'all', outcome: { kind: 'retry', reason: 'HTTP 502' } }],
  [
    'an error inside a success',
    { status: 200, body: '{"status":"error","error":{"message":"no"}}' },
    {
      reason: ['error.message'],
      rules: [{ status: ['2xx'], when: { path: 'status', is: ['error'] }, outcome: 'rejected' }],
    },
    { kind: 'all', outcome: { kind: 'rejected', reason: 'HTTP 200: no' } },
  ],
  [
    'a success without its confirmation',
    { status: 200, body: '{"ok":false}' },
    { confirmed: { path: 'ok', is: [true] } },
    { kind: 'all', outcome: { kind: 'retry', reason: 'Sample did not confirm the request (HTTP 200)' } },
  ],
  [
    'a status with a meaning of its own',
    { status: 409 },
    { rules: [{ status: [409], outcome: 'delivered' }] },
    { kind: 'all', outcome: { kind: 'delivered' } },
  ],
  [
    'a secret in a reason',
    { status: 400, body: '{"e":"unknown s3cr3t-1"}' },
    { reason: ['e'] },
    { kind: 'all', outcome: { kind: 'rejected', reason: 'HTTP 400: unknown [redacted]' } },
  ],
  [
    'members of prototypes',
    { status: 400, body: '{"e":[]}' },
    { reason: ['__proto__.x', 'e.length', 'constructor.name'] },
    { outcome: { reason: 'HTTP 400' } },
  ],
])('an answer is read: %s', (_, answer, described, expected) => {
  expect(read(answer, described)).toMatchObject(expected)
})

it('an index is found at the end of a longer text', () => {
  const items = [
    { status: [400], at: 'errors', by: { index: 'source.pointer', after: '/data/' }, others: 'not_accepted' },
  ]
  const pointer = (text: string) => ({ source: { pointer: text } })
  const body = JSON.stringify({ errors: [pointer('/data/2/name'), pointer('/data/x'), pointer('/other/0'), {}] })
  const reading = read({ status: 400, body }, { items }, 3)
  expect(reading.kind === 'items' && [...reading.named.keys()]).toEqual([2])
})

it.each([
  [
    'from 1',
    { index: '', after: 'number : ', first: 1 },
    ['number : 1', 'number : 0', 'number : 3', 'number : 4'],
    [0, 2],
  ],
  ['from 1 as a number', { index: 'at', first: 1 }, [{ at: 3 }, { at: 0 }, { at: -1 }, { at: 1.5 }], [2]],
  ['in a list', { index: 'at' }, [{ at: [0, 2, 7, 'x'] }, { at: [] }], [0, 2]],
])('items are named by an index %s', (_, by, errors, expected) => {
  const items = [{ status: [207], at: 'errors', by, others: 'delivered' }]
  const reading = read({ status: 207, body: JSON.stringify({ errors }) }, { items }, 3)
  expect(reading.kind === 'items' && [...reading.named.keys()]).toEqual(expected)
})

it('two lists of errors name their items, whatever became of the others', () => {
  const list = (at: string, others: string) => ({ status: [207], at, by: { index: 'i' }, reason: ['why'], others })
  const body = JSON.stringify({ wrong: [{ i: 0, why: 'wrong' }], late: [{ i: 2, why: 'late' }] })
  const described = { items: [list('wrong', 'delivered'), list('late', 'repeatable')] }
  expect(read({ status: 207, body }, described, 3)).toEqual({
    kind: 'items',
    named: new Map([
      [0, { kind: 'rejected', reason: 'wrong' }],
      [2, { kind: 'rejected', reason: 'late' }],
    ]),
    others: { kind: 'delivered' },
  })
})

it.each<[string, object, { headers?: Record<string, string>; body?: string }, string]>([
  ['a header', { header: 'X-Dropped', is: ['1'] }, { headers: { 'x-dropped': '1' } }, 'rejected'],
  ['another value of the header', { header: 'X-Dropped', is: ['1'] }, { headers: { 'x-dropped': '0' } }, 'delivered'],
  ['no header', { header: 'X-Dropped', is: ['1'] }, {}, 'delivered'],
  ['a text that is no JSON', { path: '', contains: 'blocked' }, { body: 'The profile is blocked' }, 'rejected'],
  ['another text', { path: '', contains: 'blocked' }, { body: 'ok' }, 'delivered'],
  [
    'two conditions that hold',
    [
      { path: 'tracked', is: [0] },
      { path: 'indices', exists: false },
    ],
    { body: '{"tracked":0}' },
    'rejected',
  ],
  [
    'one condition of two that holds',
    [
      { path: 'tracked', is: [0] },
      { path: 'indices', exists: false },
    ],
    { body: '{"tracked":0,"indices":[]}' },
    'delivered',
  ],
])('a rule reads %s', (_, when, answer, kind) => {
  const described = { rules: [{ status: ['2xx'], when, outcome: 'rejected' }] }
  expect(read({ status: 202, ...answer }, described)).toMatchObject({ kind: 'all', outcome: { kind } })
})

it('a listed 429 that names keys of items refuses these items, and one that names none waits', () => {
  const described = {
    items: [
      { status: [429], at: 'exceeded', by: { name: 'key', of_item: 'user' }, label: 'Quota', others: 'not_accepted' },
    ],
  }
  const readWith = (exceeded: object) =>
    readAnswer({
      answer: { status: 429, headers: { 'retry-after': '30' }, body: JSON.stringify({ exceeded }), latencyMs: 0 },
      answers: describedAnswers.parse(described),
      items: ['ann', 'bob', 'ann'].map((user) => ({ value: { user }, place: '' })),
      title: 'Sample',
      secrets: [],
      now,
    })
  const refused = { kind: 'rejected', reason: 'Quota' }
  expect(readWith({ ann: 500_001, eve: 1 })).toEqual({
    kind: 'items',
    named: new Map([
      [0, refused],
      [2, refused],
    ]),
    others: 'not_accepted',
  })
  expect(readWith({})).toMatchObject({ kind: 'all', outcome: { kind: 'retry', retryAfterMs: 30_000 } })
})

it('items that a listed 503 does not name are sent again', () => {
  const items = [{ status: [503], at: 'errors', by: { index: 'i' }, reason: ['why'], others: 'delivered' }]
  const body = JSON.stringify({ errors: [{ i: 1, why: 'wrong' }] })
  expect(read({ status: 503, body }, { items }, 2)).toEqual({
    kind: 'items',
    named: new Map([[1, { kind: 'rejected', reason: 'wrong' }]]),
    others: { kind: 'retry', reason: 'HTTP 503' },
  })
})
