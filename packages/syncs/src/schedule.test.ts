import { expect, test } from 'vitest'
import { checkCron, nextRunTime } from './schedule.ts'

const after = (cron: string, cron_time_zone: string, from: string, runs: number): string[] => {
  const found: string[] = []
  let now = Date.parse(from)
  for (let run = 0; run < runs; run++) {
    const next = nextRunTime({ interval_minutes: null, cron, cron_time_zone }, now)
    found.push(next?.toISOString() ?? '')
    now = Number(next)
  }
  return found
}

test('a daily time that the clock skips in spring runs at the end of the gap, once per day', () => {
  expect(after('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
})

test('a daily time that the clock shows twice in fall runs once', () => {
  expect(after('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', 3)).toEqual([
    '2026-10-24T00:30:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ])
})

test('an hourly schedule stays hourly when the clock changes, and a daily time keeps its local time', () => {
  const hours = after('0 * * * *', 'America/New_York', '2026-11-01T04:30:00Z', 4)
  expect(hours.map((time) => time.slice(11, 13))).toEqual(['05', '06', '07', '08'])
  expect(after('0 9 * * 1', 'America/New_York', '2026-10-27T00:00:00Z', 2)).toEqual([
    '2026-11-02T14:00:00.000Z',
    '2026-11-09T14:00:00.000Z',
  ])
})

test('half-hour daylight saving time, and zones off the full hour, neither move nor repeat a daily time', () => {
  // Lord Howe: 02:00 becomes 02:30 in October, and 02:00 becomes 01:30 in April.
  expect(after('15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T16:00:00Z', 3)).toEqual([
    '2026-10-03T15:30:00.000Z',
    '2026-10-04T15:15:00.000Z',
    '2026-10-05T15:15:00.000Z',
  ])
  expect(after('45 1 * * *', 'Australia/Lord_Howe', '2026-04-03T16:00:00Z', 3)).toEqual([
    '2026-04-04T14:45:00.000Z',
    '2026-04-05T15:15:00.000Z',
    '2026-04-06T15:15:00.000Z',
  ])
  expect(after('0 9 * * *', 'Asia/Kathmandu', '2026-06-01T00:00:00Z', 2)).toEqual([
    '2026-06-01T03:15:00.000Z',
    '2026-06-02T03:15:00.000Z',
  ])
})

test('if the clock changes at midnight, a midnight schedule runs once that day', () => {
  // Santiago: 24:00 of Saturday becomes 23:00 in April, and 00:00 of Sunday becomes 01:00 in September.
  expect(after('0 0 * * *', 'America/Santiago', '2026-09-05T05:00:00Z', 2)).toEqual([
    '2026-09-06T04:00:00.000Z',
    '2026-09-07T03:00:00.000Z',
  ])
  expect(after('30 23 * * *', 'America/Santiago', '2026-04-04T03:00:00Z', 3)).toEqual([
    '2026-04-05T02:30:00.000Z',
    '2026-04-06T03:30:00.000Z',
    '2026-04-07T03:30:00.000Z',
  ])
})

test('the next time is always later than now, even after the clock went backwards', () => {
  for (const now of [0, Date.parse('2026-03-29T01:00:00Z'), Date.parse('2026-10-25T01:00:00Z')])
    for (const times of [
      { interval_minutes: 15, cron: null, cron_time_zone: null },
      { interval_minutes: null, cron: '*/15 * * * *', cron_time_zone: 'Europe/Berlin' },
    ])
      expect(Number(nextRunTime(times, now))).toBeGreaterThan(now)
})

test.each([
  ['* * * * *', 'UTC', 'cron.expression'],
  ['*/4 * * * *', 'UTC', 'cron.expression'],
  ['0 0 31 2 *', 'UTC', 'cron.expression'],
  ['0 0 * * * *', 'UTC', 'cron.expression'],
  ['each day', 'UTC', 'cron.expression'],
  ['0 9 * * *', 'Berlin', 'cron.time_zone'],
])('the schedule %s in %s is refused', (expression, time_zone, field) => {
  expect(() => checkCron({ expression, time_zone }, 0)).toThrow(field)
})

test.each(['*/5 * * * *', '0 9 * * 1-5', '0 0 1 1 *', '0 0 29 2 *'])(
  'the expression %s is a valid schedule',
  (expression) => {
    checkCron({ expression, time_zone: 'Asia/Kolkata' }, Date.parse('2026-01-01T00:00:00Z'))
  },
)
