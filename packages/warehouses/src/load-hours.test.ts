import { expect, test } from 'vitest'
import { isLoadTime, nextLoadTime } from './load-hours.ts'

const at = (time: string): number => Date.parse(`2026-01-02T${time}Z`)

test.each([
  [undefined, '12:00:00', true],
  [{ from: 9, to: 17 }, '08:59:59', false],
  [{ from: 9, to: 17 }, '09:00:00', true],
  [{ from: 9, to: 17 }, '16:59:59', true],
  [{ from: 9, to: 17 }, '17:00:00', false],
  [{ from: 22, to: 6 }, '23:30:00', true],
  [{ from: 22, to: 6 }, '05:59:00', true],
  [{ from: 22, to: 6 }, '06:00:00', false],
  [{ from: 18, to: 0 }, '23:59:00', true],
  [{ from: 18, to: 0 }, '00:00:00', false],
  [{ from: 0, to: 5 }, '04:00:00', true],
])('with the hours %o, %s is a time of loads: %s', (hours, time, expected) => {
  expect(isLoadTime(hours, at(time))).toBe(expected)
})

test('the next time of loads is now, or the next full hour that is one', () => {
  expect(nextLoadTime(undefined, at('12:34:56'))).toBe(at('12:34:56'))
  expect(nextLoadTime({ from: 22, to: 6 }, at('12:34:56'))).toBe(at('22:00:00'))
  expect(nextLoadTime({ from: 3, to: 4 }, at('12:34:56'))).toBe(Date.parse('2026-01-03T03:00:00Z'))
})
