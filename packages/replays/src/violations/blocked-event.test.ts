import { parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { type BlockedRow, replayedEvent } from './blocked-event.ts'

const schema = parseSourceSchema(
  '{"events":{"Bought":{"properties":{"total":{"type":"number"}}}},"user":{"properties":{"email":{"type":"string"}}}}',
)
const time = Date.parse('2026-03-01T10:00:00.250Z')
const row = (original: object | string, more: Partial<BlockedRow> = {}): BlockedRow => ({
  event_id: '1-0000000001-0000',
  message_id: 'm-1',
  type: 'track',
  event: 'Bought',
  original: typeof original === 'string' ? original : JSON.stringify(original),
  context: '{}',
  integrations: '',
  timestamp_ms: time,
  original_timestamp_ms: null,
  sent_at_ms: null,
  ...more,
})
const sent = (given: BlockedRow): unknown => {
  const text = replayedEvent(given, schema)
  return text === undefined ? undefined : JSON.parse(text)
}

test("a blocked event is sent again with its time, message ID, and the batch's context", () => {
  const context = { ip: '192.0.2.1', library: { name: 'x' } }
  expect(
    sent(
      row(
        {
          event: 'Bought',
          userId: 'u',
          properties: { total: 1 },
          timestamp: '2030-01-01',
          extra: [1],
          context: { a: 1 },
        },
        {
          context: JSON.stringify(context),
          integrations: '{"All":false}',
          original_timestamp_ms: time - 5000,
          sent_at_ms: time - 4000,
        },
      ),
    ),
  ).toEqual({
    type: 'track',
    messageId: 'm-1',
    event: 'Bought',
    userId: 'u',
    properties: { total: 1 },
    extra: [1],
    context,
    integrations: { All: false },
    timestamp: '2026-03-01T10:00:00.250Z',
    originalTimestamp: '2026-03-01T09:59:55.250Z',
    sentAt: '2026-03-01T09:59:56.250Z',
  })
})

test.each<[string, object | string, Partial<BlockedRow>]>([
  ['of another type', { properties: { total: '1' } }, {}],
  ['with what is unknown', { properties: { total: 1, more: 1 } }, {}],
  ['with an unknown property of a hostile name', '{"properties":{"__proto__":{"total":1}}}', {}],
  ['of a name that is not defined', { properties: { total: 1 } }, { event: 'Sold' }],
  ['with traits that do not fit', { traits: { email: 1 } }, { type: 'identify', event: '' }],
  ['with such traits in its context', {}, { type: 'identify', event: '', context: '{"traits":{"email":1}}' }],
  ['that is none', '[1]', {}],
  ['that is broken', '{', {}],
])('a blocked event %s is not sent again', (_, original, more) => {
  expect(sent(row(original, more))).toBeUndefined()
})

test.each<[string, object | string, Partial<BlockedRow>]>([
  ['without properties', {}, {}],
  ['with null for properties', { properties: null }, {}],
  ['with its own traits, whatever those of its context', { traits: {} }, { context: '{"traits":{"email":1}}' }],
])('a blocked event that matches the schema is sent again: %s', (_, original, more) => {
  const type = 'context' in more ? { type: 'identify', event: '' } : {}
  expect(sent(row(original, { ...type, ...more }))).toBeDefined()
})

test('every value of a blocked event is sent again unchanged', () => {
  const odd = '{"b":1.0,"10":9223372036854775807,"2":1e400}'
  const text = replayedEvent(
    row(`{"userId":12345678901234567890,"properties":{"total":10.0},"7":${odd},"context":{}}`, {
      context: odd,
      integrations: odd,
    }),
    schema,
  )
  expect(text).toContain(
    `{"userId":12345678901234567890,"properties":{"total":10.0},"7":${odd},"context":${odd},"type":"track","messageId":"m-1","integrations":${odd},`,
  )
})

test('names like __proto__ in a blocked event stay names', () => {
  const text = replayedEvent(row('{"__proto__":{"a":1},"properties":{}}'), schema)
  expect(Object.entries(JSON.parse(text ?? ''))[0]).toEqual(['__proto__', { a: 1 }])
})
