import { describe, expect, test } from 'vitest'
import { type StoredEventRow, storedEvent, storedEventText } from './stored-event.ts'

const original = {
  type: 'track',
  messageId: 'm1',
  event: 'Order Completed',
  userId: 'u1',
  properties: { total: 5, coupon: null },
  context: { ip: '1.2.3.4' },
  integrations: { All: true },
  timestamp: '2026-01-01T00:00:00Z',
  sentAt: '2026-01-01T00:00:01Z',
  writeKey: 'k',
  channel: 'server',
}
const row = (more: Partial<StoredEventRow> = {}, of: unknown = original): StoredEventRow => ({
  event_id: '0-1-0',
  message_id: 'm1',
  type: 'track',
  event: 'Order Completed',
  user_id: 'u1',
  anonymous_id: '',
  group_id: '',
  previous_id: '',
  test: false,
  context: '{"ip":"1.2.3.4","library":{"name":"of the batch"}}',
  integrations: '',
  original: typeof of === 'string' && of.startsWith('{') ? of : JSON.stringify(of),
  receive_ms: Date.UTC(2026, 0, 1, 0, 0, 2),
  timestamp_ms: Date.UTC(2026, 0, 1, 0, 0, 1),
  original_timestamp_ms: Date.UTC(2026, 0, 1),
  sent_at_ms: Date.UTC(2026, 0, 1, 0, 0, 1),
  ...more,
})

describe('a stored event', () => {
  test('a stored event becomes the same JSON that deliveries sent, in the same order', () => {
    expect(JSON.stringify(storedEvent(row()))).toBe(
      JSON.stringify({
        eventId: '0-1-0',
        messageId: 'm1',
        type: 'track',
        event: 'Order Completed',
        userId: 'u1',
        properties: { total: 5, coupon: null },
        context: { ip: '1.2.3.4', library: { name: 'of the batch' } },
        integrations: { All: true },
        test: false,
        receivedAt: '2026-01-01T00:00:02.000Z',
        timestamp: '2026-01-01T00:00:01.000Z',
        originalTimestamp: '2026-01-01T00:00:00.000Z',
        sentAt: '2026-01-01T00:00:01.000Z',
        extra: { channel: 'server' },
      }),
    )
  })

  test('lone surrogates in IDs and names, which the event store replaces, are read back from the original', () => {
    const sent = String.raw`{"type":"page","messageId":"m\ud800","userId":"a\ud800","anonymousId":7,"groupId":"\udc00","properties":{"name":"Home \ud83d"}}`
    const stored = { type: 'page', message_id: 'm\ufffd', user_id: 'a\ufffd', anonymous_id: '7', group_id: '\ufffd' }
    const text = storedEventText(row({ ...stored, event: 'Home \ufffd', previous_id: '\ufffd' }, sent))
    expect(text).toContain(
      String.raw`"messageId":"m\ud800","type":"page","event":"Home \ud83d","userId":"a\ud800","anonymousId":"7","groupId":"\udc00","previousId":"�"`,
    )
  })

  test.each([
    ['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['{"a":1.0,"a":2.50}', '{"a":2.50}'],
    ['{"list":[{"x":1,"x":{"y":1e400,"y":2.0}}],"10":1}', '{"list":[{"x":{"y":2.0}}],"10":1}'],
  ])('a stored event has the last value of a repeated name, as destinations received it: %s', (given, kept) => {
    const sent = `{"type":"track","userId":"u","userId":"u1","event":"e","properties":${given},"more":${given}}`
    expect(storedEventText(row({}, sent))).toContain(`"properties":${kept},`)
    expect(storedEventText(row({}, sent))).toContain(`"extra":{"more":${kept}}`)
  })

  test('a stored event keeps a time that cannot be parsed as it was sent', () => {
    const sent = { ...original, timestamp: 'yesterday', sentAt: '2026-01-01T00:00:01Z' }
    expect(storedEvent(row({ original_timestamp_ms: null }, sent))).toMatchObject({
      extra: { channel: 'server', timestamp: 'yesterday' },
    })
  })

  test('a stored event becomes the text that deliveries sent, with all digits and in order', () => {
    const odd = '{"b":1.0,"10":9223372036854775807,"2":1e400,"a":null}'
    const text = storedEventText(
      row(
        { context: odd, integrations: odd, type: 'identify', event: '' },
        `{ "traits" : {"x": -0 , "1":"\\u00e9"}, "properties":${odd}, "__proto__":1.50, "7":[ 1.0 ]}`,
      ),
    )
    expect(text).toContain(
      `"userId":"u1","properties":${odd},"traits":{"x":-0,"1":"é"},"context":${odd},"integrations":${odd},"test":false`,
    )
    expect(text).toMatch(/"extra":\{"__proto__":1\.50,"7":\[1\.0\]\}\}$/)
    const traits = storedEventText(row({ type: 'identify', context: '{"traits":{"ltv":10.0}}' }, {}))
    expect(traits).toContain('"traits":{"ltv":10.0},"context"')
  })

  test('a stored event has the integrations of its batch if they were stored', () => {
    expect(storedEvent(row({ integrations: '{"All":false,"Webhook":true}' }))?.integrations).toEqual({
      All: false,
      Webhook: true,
    })
  })

  test('a stored identify event has the traits of its context if it has no own traits', () => {
    const context = '{"traits":{"email":"a@b.co"}}'
    expect(storedEvent(row({ type: 'identify', context }, {}))?.traits).toEqual({ email: 'a@b.co' })
    expect(storedEvent(row({ type: 'identify', context }, { traits: { plan: 'x' } }))?.traits).toEqual({ plan: 'x' })
    expect(storedEvent(row({ context }, {}))).not.toHaveProperty('traits')
  })

  test('a stored page event keeps its name only as `event`', () => {
    const page = storedEvent(row({ type: 'page', event: 'Home' }, { type: 'page', name: 'Home' }))
    expect(page).toMatchObject({ event: 'Home' })
    expect(page).not.toHaveProperty('extra')
    expect(storedEvent(row({}, { name: 'x' }))?.extra).toEqual({ name: 'x' })
  })

  test.each<[string, StoredEventRow]>([
    ['is no object', row({}, 'text')],
    ['is no JSON', row({ original: '{"a":' })],
    ['has no type of ours', row({ type: '' })],
  ])('a stored row that %s has no event form', (_, given) => {
    expect(storedEvent(given)).toBeUndefined()
  })
})
