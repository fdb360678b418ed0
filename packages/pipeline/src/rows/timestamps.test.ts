import { describe, expect, it } from 'vitest'
import { eventTime, isoTime } from './timestamps.ts'

describe('isoTime', () => {
  it('isoTime formats each time like Date.toISOString', () => {
    for (let day = Date.UTC(1999, 0, 1); day < Date.UTC(2005, 0, 1); day += 86_400_000 - 1)
      if (isoTime(day) !== new Date(day).toISOString()) expect(isoTime(day)).toBe(new Date(day).toISOString())
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
