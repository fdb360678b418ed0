import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic, liveKey, type RunningCollect, startCollect } from '../testing/server.ts'
import { webhookEvent, webhookEventName } from './webhook-event.ts'

describe('a webhook body becomes the properties of a track event', () => {
  const made = (body: string, query = '', method = 'POST'): unknown => {
    const event = webhookEvent(Buffer.from(body), query, method)
    return Buffer.isBuffer(event) ? JSON.parse(event.toString()) : event.reason
  }
  const event = (properties: object): object => ({
    type: 'track',
    event: webhookEventName,
    anonymousId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    properties,
  })
  test.each<[string, string, string, string, unknown]>([
    ['an object', '{"a":{"b":[1]}}', 'writeKey=k', 'POST', event({ a: { b: [1] } })],
    ['a list', ' [1,{"a":2}]', '', 'POST', event({ items: [1, { a: 2 }] })],
    [
      'the address of a GET',
      '',
      'writeKey=k&order.id=7&type=paid&tag=a&tag=b',
      'GET',
      event({ 'order.id': '7', type: 'paid', tag: ['a', 'b'] }),
    ],
    ['a text', '"hello"', '', 'POST', 'NOT_AN_OBJECT'],
    ['nothing', '', '', 'POST', 'EMPTY_BODY'],
    ['no JSON', '{"a":', '', 'POST', 'INVALID_JSON'],
    ['an object that would end early', '{"a":1},"userId":"admin","x":{}', '', 'POST', 'INVALID_JSON'],
  ])('%s', (_, body, query, method, wanted) => {
    expect(made(body, query, method)).toEqual(wanted)
  })

  test('numbers of a webhook body keep all their digits', () => {
    const text = webhookEvent(Buffer.from('{"id":12345678901234567890}'), '', 'POST')
    expect(Buffer.isBuffer(text) && text.toString()).toContain('"properties":{"id":12345678901234567890}}')
  })
})

describe('/v1/webhook', () => {
  let server: RunningCollect
  beforeAll(async () => {
    server = await startCollect()
  })
  afterAll(() => server.stop())

  test('/v1/webhook accepts POST and GET with the key in the header or URL, and rejects bodies that it cannot store', async () => {
    const url = `${server.origin}/v1/webhook`
    const authorization = basic(liveKey)
    const statuses = [
      await fetch(url, { method: 'POST', body: '{"paid":true}', headers: { authorization } }),
      await fetch(`${url}?writeKey=${liveKey}&paid=1`),
      await fetch(`${url}?writeKey=${liveKey}`, { method: 'POST', body: '[{"paid":1}]' }),
      await fetch(url, { method: 'POST', body: '{"paid":true}' }),
      await fetch(url, { method: 'POST', body: '{', headers: { authorization } }),
      await fetch(url, { method: 'PUT', body: '{}', headers: { authorization } }),
    ].map((answer) => answer.status)
    expect(statuses).toEqual([200, 200, 200, 401, 400, 405])
    expect(await server.entries()).toHaveLength(3)
  })
})
