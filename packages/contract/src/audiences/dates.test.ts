import { describe, expect, test } from 'vitest'
import { spanOfComparison, spanOfDate } from '../index.ts'

const now = Date.parse('2026-03-04T05:06:07.890Z')
const day = 86_400_000
const beginning = (text: string): string | undefined => {
  const span = spanOfDate(text)
  return span === undefined ? undefined : new Date(span.from).toISOString()
}

describe('a date in a condition', () => {
  test.each([
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
    ['2026-03-04T05:06', '2026-03-04T05:06:00.000Z'],
    ['2026-03-04 05:06:07.8909', '2026-03-04T05:06:07.890Z'],
    ['2026-03-04T05:06:07+05:30', '2026-03-03T23:36:07.000Z'],
    ['2026-03-04T23:59:59-12:00', '2026-03-05T11:59:59.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('the date %s begins at %s: without a zone it is UTC, and fractions count to milliseconds', (text, time) => {
    expect(beginning(text)).toBe(time)
  })
  test('a date of year 1 or 9999 is valid, even if its zone moves it into another year', () => {
    expect(beginning('0001-01-01')).toBe('0001-01-01T00:00:00.000Z')
    expect(beginning('9999-12-31T23:59:59.999Z')).toBe('9999-12-31T23:59:59.999Z')
    expect(beginning('9999-12-31T23:59:59-23:59')).toBe('+010000-01-01T23:58:59.000Z')
    expect(beginning('0001-01-01T00:00:00+01:00')).toBe('0000-12-31T23:00:00.000Z')
  })
  test.each([
    '2026-02-30',
    '1900-02-29',
    '0000-01-01',
    '10000-01-01',
    '2026-03-04T24:00',
    '2026-3-4',
    '1772600767',
    '',
  ])('the date %j is invalid', (text) => expect(spanOfDate(text)).toBeUndefined())
})

describe('a comparison with a date', () => {
  const span = (operator: 'before' | 'after' | 'between' | 'today', value: string, values: string[] = []) =>
    spanOfComparison({ operator, value, values }, now)
  const start = Date.parse('2026-03-04T00:00:00Z')
  test('a comparison with a day covers the whole day: before its start, after its end, and between including the last day', () => {
    expect(span('before', '2026-03-04')).toEqual({ from: undefined, until: start })
    expect(span('after', '2026-03-04')).toEqual({ from: start + day, until: undefined })
    expect(span('between', '', ['2026-03-04', '2026-03-05'])).toEqual({ from: start, until: start + 2 * day })
    expect(span('today', '')).toEqual({ from: start, until: start + day })
  })
  test('a comparison with a number of days covers that many times 24 hours, and each time is on one side', () => {
    const away = (operator: 'within_last' | 'before_last' | 'within_next' | 'after_next') =>
      spanOfComparison({ operator, value: '2', values: [] }, now)
    expect(away('within_last')).toEqual({ from: now - 2 * day + 1, until: now + 1 })
    expect(away('before_last')).toEqual({ from: undefined, until: now - 2 * day + 1 })
    expect(away('within_next')).toEqual({ from: now + 1, until: now + 2 * day + 1 })
    expect(away('after_next')).toEqual({ from: now + 2 * day + 1, until: undefined })
  })
})
