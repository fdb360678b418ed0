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
  })
})

test.each(['', '[]', '{"actions": 1}', '{"actions": {"a": null}}'])('the preview of %j is empty', (text) => {
  expect(describedParts(text)).toEqual({ actions: [], requests: [] })
})
