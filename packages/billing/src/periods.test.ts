import { expect, test } from 'vitest'
import { periodEnd, remainderOf } from './periods.ts'

const at = (text: string) => new Date(text)

test('periods that start on the 31st end on the last day of shorter months, and then on the 31st again', () => {
  const anchor = at('2027-12-31T23:30:00Z')
  const ends: string[] = []
  let start = anchor
  for (let period = 0; period < 4; period++) {
    start = periodEnd(anchor, start, 'MONTHLY')
    ends.push(start.toISOString())
  }
  expect(ends).toEqual([
    '2028-01-31T23:30:00.000Z',
    '2028-02-29T23:30:00.000Z',
    '2028-03-31T23:30:00.000Z',
    '2028-04-30T23:30:00.000Z',
  ])
})

test('a year that starts on a leap day ends on February 28, and four years later on February 29', () => {
  const anchor = at('2028-02-29T00:00:00Z')
  expect(periodEnd(anchor, anchor, 'ANNUALLY')).toEqual(at('2029-02-28T00:00:00Z'))
  expect(periodEnd(anchor, at('2031-02-28T00:00:00Z'), 'ANNUALLY')).toEqual(at('2032-02-29T00:00:00Z'))
})

test('the prorated remainder of a period never exceeds the full amount, and is never negative', () => {
  const period = { start: at('2026-03-01T00:00:00Z'), end: at('2026-04-01T00:00:00Z') }
  expect(remainderOf(9_999, period, at('2026-03-16T12:00:00Z'))).toBe(4_999)
  expect(remainderOf(9_999, period, at('2026-02-01T00:00:00Z'))).toBe(9_999)
  expect(remainderOf(9_999, period, at('2026-05-01T00:00:00Z'))).toBe(0)
  expect(remainderOf(Number.MAX_SAFE_INTEGER, period, period.start)).toBe(Number.MAX_SAFE_INTEGER)
})
