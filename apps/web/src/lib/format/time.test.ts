import { expect, test } from 'vitest'
import { elapsed, hourSpan, relativeTime, utcTime } from './time.ts'

const now = Date.parse('2026-03-01T12:00:00.000Z')

test.each([
  ['2026-03-01T11:59:58.000Z', 'now'],
  ['2026-03-01T11:59:30.000Z', '30 sec. ago'],
  ['2026-03-01T11:58:00.000Z', '2 min. ago'],
  ['2026-03-01T09:00:00.000Z', '3 hr. ago'],
  ['2026-02-28T12:00:00.000Z', 'yesterday'],
  ['2025-03-01T12:00:00.000Z', 'last yr.'],
  ['2026-03-01T12:02:00.000Z', 'in 2 min.'],
  ['nonsense', ''],
])('the time %s is shown as %j', (time, words) => {
  expect(relativeTime(time, now, 'en')).toBe(words)
})

test('an hour is shown from its beginning to its end', () => {
  const local = new Date(2026, 2, 1, 14).toISOString()
  expect(hourSpan(local, 'en-GB')).toBe('14:00 – 15:00')
  expect(hourSpan('nonsense')).toBe('')
})

test('the exact moment is shown in UTC to the millisecond', () => {
  expect(utcTime('2026-03-01T13:00:00.123+01:00')).toBe('2026-03-01 12:00:00.123 UTC')
  expect(utcTime('')).toBe('')
})

test.each([
  [0, '0.0 s'],
  [420, '0.4 s'],
  [12_300, '12 s'],
  [59_600, '1 min 0 s'],
  [185_000, '3 min 5 s'],
  [7_800_000, '2 h 10 min'],
])('a duration of %i ms is shown as %s', (ms, words) => {
  expect(elapsed(ms)).toBe(words)
})
