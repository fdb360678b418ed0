import { describe, expect, it } from 'vitest'
import { eventTime, isoTime, parseTime } from './timestamps.ts'

describe('parseTime', () => {
  it.each<[unknown, string | undefined]>([
    ['2026-11-21T05:46:40.123Z', '2026-11-21T05:46:40.123Z'],
    ['2026-02-31T05:46:40.123Z', undefined],
    ['2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
    ['2026-11-21T05:46:40Z', '2026-11-21T05:46:40.000Z'],
    ['2026-11-21T05:46:40.123456+02:00', '2026-11-21T03:46:40.123Z'],
    ['2026-11-21T05:46:40.5', '2026-11-21T05:46:40.500Z'],
    ['2026-11-21 05:46:40', '2026-11-21T05:46:40.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    [1763704000123, '2025-11-21T05:46:40.123Z'],
    [1763704000, '2025-11-21T05:46:40.000Z'],
    ['yesterday', undefined],
    ['Sat Nov 21 2026', undefined],
    ['2026-13-01T00:00:00.000Z', undefined],
    ['9999-01-01T00:00:00.000Z', undefined],
    ['1969-12-31T00:00:00.000Z', undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [-5, undefined],
    [null, undefined],
    [{}, undefined],
  ])('reads %j as %s', (value, expected) => {
    const ms = parseTime(value)
    expect(ms === undefined ? undefined : new Date(ms).toISOString()).toBe(expected)
  })

  it('reads the canonical form as Date.parse does, on every day of a leap cycle', () => {
    for (let day = Date.UTC(1999, 0, 1); day < Date.UTC(2005, 0, 1); day += 86_400_000 - 1) {
      const text = new Date(day).toISOString()
      expect(parseTime(text)).toBe(day)
      expect(isoTime(day)).toBe(text)
    }
  })
})

describe('eventTime', () => {
  const now = Date.UTC(2026, 0, 1)
  const hour = 3_600_000
  it.each<[string, number | undefined, number | undefined, number]>([
    ['corrects a clock that is ahead', now + hour, now + hour - 500, now - 500],
    ['corrects a clock that is behind', now - hour, now - hour - 500, now - 500],
    ['believes the client without a time of sending', undefined, now - hour, now - hour],
    ['is the time of receipt without a time of the event', now - hour, undefined, now],
    ['is never after the receipt', now, now + hour, now],
    ['is the time of receipt if it came out before 1970-01-02', Date.UTC(2190, 0, 1), 86_400_000, now],
  ])('%s', (_, sentAt, original, expected) => {
    expect(eventTime(now, sentAt, original)).toBe(expected)
  })
})
