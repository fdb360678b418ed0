import { eventFieldsProblem, type SyncField } from '@tributary/contract'
import { describe, expect, it, test } from 'vitest'
import { stagedEvents } from './event-values.ts'
import { eventObjectOf } from './target.ts'

const columns = [
  { name: 'id', type: 'bigint' },
  { name: 'user', type: 'bigint' },
  { name: 'at', type: 'timestamp with time zone' },
  { name: 'total', type: 'numeric' },
  { name: 'note', type: 'text' },
]
const mapped = (fields: Record<string, string>): SyncField[] =>
  Object.entries(fields).map(([target, column]) => ({ column, target }))
const usual = {
  userId: 'user',
  timestamp: 'at',
  'properties.total': 'total',
  'properties.note': 'note',
  'context.page.url': 'note',
}
const objectOf = (name: string) => {
  const object = eventObjectOf(name)
  if (object === undefined) throw new Error(name)
  return object
}
const staging = (fields: Record<string, string> = usual, more: { sync?: string; object?: string } = {}) =>
  stagedEvents(columns, {
    sync: more.sync ?? 's1',
    object: objectOf(more.object ?? 'events'),
    name: 'Order Completed',
    primaryKey: ['id'],
    fields: mapped(fields),
  })
const row = ['7', '42', '2025-01-02 03:04:05.678901+00', '12345678901234567890.10', 'a']

test('a row becomes an event by its mapping, numbers keep all digits, and the key of the event is the primary key', () => {
  const { key, payload, problem } = staging()(row)
  expect([key, problem]).toEqual(['7', ''])
  expect(payload).toContain('"total":12345678901234567890.10')
  expect(JSON.parse(payload)).toEqual({
    messageId: expect.stringMatching(/^row-[0-9a-f]{40}$/),
    type: 'track',
    event: 'Order Completed',
    userId: '42',
    timestamp: '2025-01-02T03:04:05.678Z',
    properties: { note: 'a', total: expect.any(Number) },
    context: { page: { url: 'a' } },
  })
})

test('a null is kept in properties and traits, and omitted from all other fields', () => {
  const { payload } = staging({ ...usual, event: 'note' })(['7', '42', null, '1', null])
  expect(JSON.parse(payload)).toEqual({
    messageId: expect.anything(),
    type: 'track',
    event: 'Order Completed',
    userId: '42',
    properties: { note: null, total: 1 },
  })
})

test('a row becomes an identify event, or an event whose name is in the mapped column', () => {
  const profile = staging({ userId: 'user', 'traits.note': 'note' }, { object: 'profiles' })(row)
  expect(JSON.parse(profile.payload)).toMatchObject({ type: 'identify', userId: '42', traits: { note: 'a' } })
  expect(JSON.parse(staging({ ...usual, event: 'note' })(row).payload)).toMatchObject({ event: 'a' })
})

test('the message ID is the same for the same row, and different for another sync, key, or content', () => {
  const idOf = (cells: (string | null)[], sync = 's1') => JSON.parse(staging(usual, { sync })(cells).payload).messageId
  const id = idOf(row)
  expect(idOf([...row])).toBe(id)
  const others = [idOf(row, 's2'), idOf(['8', ...row.slice(1)]), idOf([...row.slice(0, 4), 'b'])]
  expect(new Set([id, ...others]).size).toBe(4)
})

describe('a row that cannot become an event', () => {
  it.each([
    ['no key', [null, ...row.slice(1)], 'The primary key is null'],
    ['nobody', ['7', null, ...row.slice(2)], 'userId and anonymousId are empty'],
    ['no time', ['7', '42', 'soon', '1', 'a'], 'timestamp is not a time: soon'],
    ['a zero date', ['7', '42', '0000-00-00', '1', 'a'], 'timestamp is not a time: 0000-00-00'],
    ['a day of month 0', ['7', '42', '2026-00-10 10:00:00', '1', 'a'], 'timestamp is not a time: 2026-00-10 10:00:00'],
    ['a day 0', ['7', '42', '2026-11-00', '1', 'a'], 'timestamp is not a time: 2026-11-00'],
    ['too much', [...row.slice(0, 4), 'x'.repeat(33_000)], 'The event is longer than 32 KiB'],
  ])('a row that cannot be an event has a problem with the reason: %s', (_, cells, problem) => {
    expect(staging()(cells)).toMatchObject({ payload: '', problem })
  })

  it('a row has a problem if its mapped message ID is missing or too long', () => {
    const of = (note: string) => staging({ ...usual, messageId: 'note' })([...row.slice(0, 4), note])
    expect(of('mine').problem).toBe('')
    expect(JSON.parse(of('mine').payload).messageId).toBe('mine')
    expect([of('').problem, of('x'.repeat(101)).problem]).toEqual([
      'messageId is empty',
      'messageId is longer than 100 characters',
    ])
  })
})

it.each([
  [['userId', 'properties.total'], undefined],
  [['anonymousId', 'context.page.url', 'messageId', 'event', 'timestamp'], undefined],
  [['properties.total'], 'Map a column to userId or anonymousId: it tells whose event it is'],
  [['userId', 'total'], expect.stringMatching(/^Events have no field total\. Use event, userId,/)],
  [['userId', 'traits.plan'], expect.stringMatching(/no field traits\.plan/)],
  [['userId', 'properties.'], expect.stringMatching(/no field properties\./)],
  [
    ['userId', 'properties.a', 'properties.a.b'],
    "properties.a can't have a value, since properties.a.b is inside of it",
  ],
])('the problem of a mapping to the targets %j is %s', (targets, problem) => {
  expect(eventFieldsProblem(objectOf('events'), targets)).toEqual(problem)
})
