import { expect, test } from 'vitest'
import { describedParts } from './described-parts.ts'

test('the preview of a description shows its actions and requests, and the constants of fields', () => {
  const fields = {
    message: { from: { type: 'CONSTANT', value: 'Hello' } },
    title: { from: '$event_name' },
    email: 'email',
  }
  const text = JSON.stringify({
    actions: { send: { title: 'Send', request: 'post', fields } },
    requests: { post: { method: 'POST', path: '/messages' } },
  })
  expect(describedParts(text)).toEqual({
    actions: [{ name: 'send', title: 'Send', request: 'post', fields: ['message = "Hello"', 'title', 'email'] }],
    requests: [{ name: 'post', method: 'POST', path: '/messages' }],
    rows: [],
  })
})

test.each(['', '[]', '{"actions": 1}', '{"actions": {"a": null}}'])('the preview of %j is empty', (text) => {
  expect(describedParts(text)).toEqual({ actions: [], requests: [], rows: [] })
})

test('the preview of a description has its objects with rows, and the names of the fields of each operation', () => {
  const fields = { id: 'any_id', message: { from: { type: 'CONSTANT', value: 'Hello' } } }
  const rows = { upsert: 'send', delete: 'gone', identifiers: ['id'], named: { field: 'id' } }
  const text = JSON.stringify({
    actions: { send: { title: 'Send', request: 'post', fields } },
    objects: [{ name: 'people', title: 'People', rows }, { name: 'events' }],
  })
  expect(describedParts(text).rows).toEqual([
    {
      object: 'people',
      title: 'People',
      operations: [{ name: 'upsert', fields: ['id', 'message'] }],
      identifiers: ['id'],
      named: true,
    },
  ])
})
