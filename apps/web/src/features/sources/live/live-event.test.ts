import { type EventDetail, parseSourceSchema } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import {
  type KnownSchemas,
  type LiveEvent,
  needsPayload,
  ofDetail,
  ofLive,
  ofSummary,
  validationOf,
} from './live-event.ts'

const schema = parseSourceSchema(
  JSON.stringify({ events: { Paid: { properties: { total: { type: 'number' } }, required: ['total'] } } }),
)
const now = { schema, versions: new Map([[3, schema]]) }
const wire: EventDetail = {
  state: 'stored',
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

test('EVT-22: an event has title, message ID, type, test, receive time and payload, and its validation result', () => {
  const event = ofDetail(wire)
  expect(event).toMatchObject({
    title: 'Paid',
    messageId: 'm1',
    type: 'track',
    test: true,
    receiveTime: '2026-01-01T00:00:00Z',
    payload: { properties: { total: 'much' } },
  })
  expect(validationOf(event, now)).toEqual({
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
      userId: wire.user_id,
      anonymousId: 'not shown beside a user id',
      status: 'accepted',
      compatibility: 'compatible',
      schemaVersion: 3,
    }),
  ).toEqual(ofSummary(wire))
  expect(type).toBe('track')
})

describe('a live event without its payload', () => {
  const summary = ofSummary(wire)
  const other = parseSourceSchema('{"events":{"Refunded":{}}}')
  const both = parseSourceSchema(
    JSON.stringify({
      events: { Refunded: {}, Paid: { properties: { total: { type: 'number' } }, required: ['total'] } },
    }),
  )
  const looser = parseSourceSchema('{"events":{"Paid":{"properties":{"total":{"type":"number"}}}}}')
  const result = (event: LiveEvent, known: KnownSchemas) => [
    validationOf(event, known)?.compatibility,
    needsPayload(event, known),
  ]
  test('an event without its payload keeps its received result while the schema has the same definition', () => {
    const event = { ...summary, compatibility: 'needsAttention' } as const
    expect(result(event, now)).toEqual(['needsAttention', false])
    // The schema now also has another event.
    expect(result(event, { schema: both, versions: new Map([[3, schema]]) })).toEqual(['needsAttention', false])
  })
  test('an event that the schema no longer defines is incompatible, whatever its earlier result (EVT-36)', () => {
    expect(result(summary, { schema: other, versions: new Map([[3, schema]]) })).toEqual(['incompatible', false])
  })
  test('if the version that validated an event is unknown or differs, only the payload can be validated', () => {
    const event = { ...summary, compatibility: 'incompatible' } as const
    expect(result(event, { schema, versions: new Map([[3, other]]) })).toEqual([undefined, true])
    expect(result(summary, { schema: looser, versions: new Map([[3, schema]]) })).toEqual([undefined, true])
    expect(result(summary, { schema, versions: new Map() })).toEqual([undefined, true])
    expect(result({ ...summary, compatibility: '' }, now)).toEqual([undefined, true])
  })
  test('an event of a type that is always compatible needs no payload', () => {
    expect(result({ ...summary, type: 'page', compatibility: '' }, now)).toEqual(['compatible', false])
  })
})

test('a rejected event is never validated', () => {
  expect(validationOf({ ...ofDetail(wire), status: 'rejected' }, now)).toBeUndefined()
  expect(needsPayload({ ...ofSummary(wire), status: 'rejected' }, now)).toBe(false)
})

test('a payload that is not an object is treated as empty', () => {
  expect(validationOf({ ...ofDetail(wire), payload: null }, now)?.problems).toEqual([
    { property: 'total', kind: 'missing' },
  ])
})
