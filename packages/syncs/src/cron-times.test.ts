import { expect, test } from 'vitest'
import { nextCronTime } from './cron-times.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Returns the local time of each minute in a zone, as a minute of UTC. */
const clockOf = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (time: number): number => Date.parse(`${format.format(time).replace(' ', 'T')}Z`)
}

/** Returns the numbers of a field in its simplest forms: `*`, `a`, `a-b`, and lists, each with a step. */
const numbersOf = (field: string, low: number, high: number): Set<number> => {
  const numbers = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '*', step = '1'] = part.split('/')
    const [from = '', to = from] = range.split('-')
    const [first, last] = range === '*' ? [low, high] : [Number(from), Number(to)]
    for (let number = first; number <= last; number += Number(step)) numbers.add(number)
  }
  return numbers
}

/** Whether a local time matches the expression. If both kinds of days are set, one match is enough. */
const matcherOf = (expression: string): ((shown: number) => boolean) => {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = expression.split(' ')
  const [minutes, hours, days, months, weekdays] = [
    numbersOf(minute, 0, 59),
    numbersOf(hour, 0, 23),
    numbersOf(day, 1, 31),
    numbersOf(month, 1, 12),
    numbersOf(weekday, 0, 6),
  ]
  return (shown) => {
    const date = new Date(shown)
    if (!minutes.has(date.getUTCMinutes()) || !hours.has(date.getUTCHours()) || !months.has(date.getUTCMonth() + 1))
      return false
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
    return day !== '*' && weekday !== '*' ? isDay || isWeekday : isDay && isWeekday
  }
}

/**
 * Applies the documented rule minute by minute: skipped times run at the end of the gap, repeated times run the first
 * time, and an hourly expression runs every hour.
 */
const walk = (expression: string, shownAt: readonly number[], from: number): number[] => {
  const matches = matcherOf(expression)
  const isHourly = numbersOf(expression.split(' ')[1] ?? '*', 0, 23).size === 24
  const runs: number[] = []
  let latest = (shownAt[0] ?? 0) - minuteMs
  for (const [at, shown] of shownAt.entries()) {
    const isNew = shown > latest
    let comes = matches(shown) && (isNew || isHourly)
    if (!isHourly) for (let gone = latest + minuteMs; gone < shown; gone += minuteMs) comes ||= matches(gone)
    if (comes) runs.push(from + at * minuteMs)
    latest = Math.max(latest, shown)
  }
  return runs
}

const zones: [zone: string, ...days: string[]][] = [
  ['Europe/Berlin', '2026-03-29', '2026-10-25'],
  ['Europe/London', '2026-03-29', '2026-10-25'],
  ['America/New_York', '2026-03-08', '2026-11-01'],
  ['America/Santiago', '2026-04-05', '2026-09-06'],
  ['America/Havana', '2026-03-08', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-04', '2026-10-03'],
  ['Africa/Casablanca', '2026-02-15', '2026-03-22'],
  ['Africa/Cairo', '2026-04-24', '2026-10-29'],
  ['Asia/Beirut', '2026-03-29', '2026-10-25'],
  ['Antarctica/Troll', '2026-03-29', '2026-10-25'],
  ['Pacific/Apia', '2011-12-30'],
  ['Asia/Kathmandu', '2026-06-01'],
]

const expressions = [
  '30 2 * * *',
  '15,45 2 28 3 *',
  '15,45 2 29 3 *',
  '0 2,14 * * *',
  '*/15 2 * * *',
  '*/15 1-3 * * *',
  '0 */2 * * *',
  '45 1 * * 0',
  '5 0,1,2,3 * * 1-5',
  '20 1,2 25 10 3',
  '*/30 0-22 * * *',
  '0 * * * *',
  '7 0-23 * * *',
]

test.each(zones)('in %s, each expression runs at the times that a minute-by-minute search finds', (zone, ...days) => {
  const shown = clockOf(zone)
  for (const day of days) {
    const [from, until] = [Date.parse(day) - 12 * hourMs, Date.parse(day) + 26 * hourMs]
    const shownAt = Array.from({ length: (until - from) / minuteMs }, (_, at) => shown(from + at * minuteMs))
    for (const expression of expressions) {
      const found: number[] = []
      for (let now = from - 1; now < until; ) {
        const next = nextCronTime(expression, zone, now)?.getTime() ?? until
        expect(next).toBeGreaterThan(now)
        now = next
        if (next < until) found.push(next)
      }
      const expected = walk(expression, shownAt, from)
      const texts = (times: readonly number[]) => times.map((time) => new Date(time).toISOString())
      expect(texts(found), `${expression} around ${day}`).toEqual(texts(expected))
    }
  }
})

test('from any minute around a clock change, the next time equals that of a minute-by-minute search', () => {
  for (const [zone, day] of [
    ['Europe/Berlin', '2026-10-25'],
    ['Europe/Berlin', '2026-03-29'],
    ['Australia/Lord_Howe', '2026-04-04'],
  ] as const) {
    const shown = clockOf(zone)
    const from = Date.parse(day) - 12 * hourMs
    const shownAt = Array.from({ length: 48 * 60 }, (_, at) => shown(from + at * minuteMs))
    for (const expression of ['15,45 2 * * *', '0 1,2 * * *', '30 * * * *']) {
      const runs = walk(expression, shownAt, from)
      for (let now = from + 10 * hourMs + 1; now < from + 18 * hourMs; now += 7 * minuteMs)
        expect(
          nextCronTime(expression, zone, now)?.getTime(),
          `${expression} after ${new Date(now).toISOString()}`,
        ).toBe(runs.find((run) => run > now))
    }
  }
})
