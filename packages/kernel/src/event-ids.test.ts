import { expect, test } from 'vitest'
import {
  eventIdsOf,
  formatRecordPlace,
  isEarlier,
  parseEventId,
  parseRecordPlace,
  type RecordPlace,
} from './event-ids.ts'

const place = (offset: number, incarnation = '', partition = 3): RecordPlace => ({ partition, offset, incarnation })

test.each([
  [place(7), 12, '3-0000000007-0012'],
  [place(7, '0mabc12def3'), 12, '3-0000000007-0012-0mabc12def3'],
  [place(12_345_678_901, 'a', 63), 9999, '63-12345678901-9999-a'],
  [place(0, '', 0), 10_000, '0-0000000000-10000'],
])('the event ID of %j, index %i, is %s, and is parsed to the same place', (record, index, id) => {
  expect(eventIdsOf(record)(index)).toBe(id)
  expect(parseEventId(id)).toEqual({ ...record, index })
})

test.each(['', 'none', '3-0000000007', '3-0000000007-0012-', '3-7-12', '3-0000000007-0012-A', '3-0000000007-0012-a-b'])(
  '"%s" is not an event ID',
  (text) => {
    expect(parseEventId(text)).toBeUndefined()
  },
)

test('event IDs of a record sort in the order of the events, with any incarnation', () => {
  for (const incarnation of ['', '0mabc12def3']) {
    const ids = [0, 9, 10, 99, 100, 9999].map(eventIdsOf(place(5, incarnation)))
    expect(ids).toEqual(ids.toSorted())
  }
})

test('a record position is formatted and parsed, also in the older form without an incarnation', () => {
  for (const each of [place(7), place(0, 'a1'), place(12_345_678_901, 'b')])
    expect(parseRecordPlace(formatRecordPlace(each))).toEqual(each)
  expect(parseRecordPlace('3-0000000007-')).toEqual(place(7))
  for (const text of ['', '3-7', "3-7-' or 1", '3-7-A']) expect(parseRecordPlace(text)).toBeUndefined()
})

test.each([
  ['a lower offset', place(6), place(7), true],
  ['the place itself', place(7, 'a'), place(7, 'a'), false],
  ['a lower offset of a later incarnation', place(0, 'b'), place(500, 'a'), false],
  ['a higher offset of an earlier incarnation', place(500, 'a'), place(0, 'b'), true],
  ['a place of before there were incarnations', place(500), place(0, 'a'), true],
])('%s: the result of isEarlier(%j, %j) is %s', (_, a, b, earlier) => {
  expect(isEarlier(a, b)).toBe(earlier)
})
