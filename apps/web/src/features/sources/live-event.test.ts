import { type EventDetail, parseSourceSchema } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { judgementOf, ofDetail, ofLive, ofSummary } from './live-event.ts'

const schema = parseSourceSchema(
  JSON.stringify({ events: { Paid: { properties: { total: { type: 'number' } }, required: ['total'] } } }),
)
const wire: EventDetail = {
  name: 'workspaces/w1/events/0-1-0',
  event_id: '0-1-0',
  message_id: 'm1',
  type: 'track',
  title: 'Paid',
  source: 'workspaces/w1/sources/s1',
  test: true,
  status: 'accepted',
  reason: '',
  user_id: 'u',
  anonymous_id: '',
  compatibility: 'compatible',
  schema_version: 3,
  receive_time: '2026-01-01T00:00:00Z',
  timestamp: '2026-01-01T00:00:00Z',
  group_id: '',
  previous_id: '',
  original_timestamp: null,
  sent_at: null,
  ip: '',
  problems: [],
  replay_time: null,
  payload: { type: 'track', event: 'Paid', properties: { total: 'much' } },
  payload_text: '{}',
  original: '{}',
  deliveries: [],
}

test('EVT-22: an event has title, message id, type, test, receive time and payload, and from them how it fits', () => {
  const event = ofDetail(wire)
  expect(event).toMatchObject({
    title: 'Paid',
    messageId: 'm1',
    type: 'track',
    test: true,
    receiveTime: '2026-01-01T00:00:00Z',
    payload: { properties: { total: 'much' } },
  })
  expect(judgementOf(event, schema)).toEqual({
    compatibility: 'needsAttention',
    problems: [{ property: 'total', kind: 'type' }],
  })
  const { event_id, message_id, type, title, test: isTest, receive_time } = wire
  expect(
    ofLive({
      eventId: event_id,
      messageId: message_id,
      type: 'track',
      title,
      test: isTest,
      receiveTime: receive_time,
      status: 'accepted',
      compatibility: 'compatible',
      schemaVersion: 3,
    }),
  ).toEqual(ofSummary(wire))
  expect(type).toBe('track')
})

describe('without its payload', () => {
  const summary = ofSummary(wire)
  test('an event is as it was judged when it was received', () => {
    expect(judgementOf({ ...summary, compatibility: 'incompatible' }, schema)?.compatibility).toBe('incompatible')
  })
  test('one that nothing judged is unknown, unless its type always fits', () => {
    expect(judgementOf({ ...summary, compatibility: '' }, schema)).toBeUndefined()
    expect(judgementOf({ ...summary, type: 'page', compatibility: '' }, schema)?.compatibility).toBe('compatible')
  })
})

test('nothing judges a rejected event, whatever it has', () => {
  expect(judgementOf({ ...ofDetail(wire), status: 'rejected' }, schema)).toBeUndefined()
})

test('a payload that is no object counts as empty', () => {
  expect(judgementOf({ ...ofDetail(wire), payload: null }, schema)?.problems).toEqual([
    { property: 'total', kind: 'missing' },
  ])
})
