import { expect, test } from 'vitest'
import { vectorSettings, withRequests, withVector } from './keep-vector.ts'

const event = JSON.stringify({ type: 'track', event: 'Signed Up', userId: 'u1', receivedAt: 'x', groupId: '' })

test('a tried event becomes a vector after those that there are, with the requests of a check', () => {
  const description = JSON.stringify({ title: 'A', vectors: { answers: [1], requests: [{ name: 'first' }] } })
  const kept = withVector(description, { name: 'second', event, settings: { url: 'https://a.example' } })
  const text = withRequests(
    kept ?? { text: '', member: 'requests', index: 0 },
    JSON.stringify([
      { method: 'POST', url: 'https://a.example/', headers: { 'x-key': '1', 'User-Agent': 'b' }, body: {} },
    ]),
  )
  expect(JSON.parse(text ?? '')).toEqual({
    title: 'A',
    vectors: {
      answers: [1],
      requests: [
        { name: 'first' },
        {
          name: 'second',
          settings: { url: 'https://a.example' },
          events: [{ type: 'track', event: 'Signed Up', userId: 'u1' }],
          requests: [{ method: 'POST', url: 'https://a.example/', headers: { 'x-key': '1' }, body: {} }],
        },
      ],
    },
  })
})

test('a tried row becomes a vector of rows', () => {
  const row = { object: 'contacts', operation: 'delete', identifier: 'id', list: '', values: '{"id":"ada"}' } as const
  const kept = withVector('{"vectors":{"rows":[1]}}', { name: 'gone', row, settings: {} })
  const text = withRequests(
    kept ?? { text: '', member: 'rows', index: 0 },
    JSON.stringify([{ method: 'DELETE', url: 'https://a.example/ada', headers: {} }]),
  )
  expect(JSON.parse(text ?? '')).toEqual({
    vectors: {
      rows: [
        1,
        {
          name: 'gone',
          settings: {},
          object: 'contacts',
          operation: 'delete',
          identifier: 'id',
          rows: [{ id: 'ada' }],
          requests: [{ method: 'DELETE', url: 'https://a.example/ada', headers: {} }],
        },
      ],
    },
  })
})

test('texts that are no JSON objects give no vector', () => {
  expect(withVector('{', { name: '', event, settings: {} })).toBeUndefined()
  expect(withVector('{}', { name: '', event: '[]', settings: {} })).toBeUndefined()
  expect(withRequests({ text: '{}', member: 'requests', index: 0 }, '[]')).toBeUndefined()
})

test('a vector never has a secret that was entered', () => {
  const options = [
    { name: 'url', is_secret: false },
    { name: 'key', is_secret: true },
    { name: 'empty', is_secret: false },
  ] as unknown as Parameters<typeof vectorSettings>[0]
  expect(vectorSettings(options, { url: 'https://a.example', key: 'real', empty: '' })).toEqual({
    url: 'https://a.example',
    key: 'secret-key-0001',
  })
})
