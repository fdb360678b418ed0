import { Cron } from 'croner'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** Maximum time in ms by which a clock is set back. */
const setBackMs = 3 * 60 * minuteMs

/** The clock of a time zone. Local times are given as the UTC time with the same digits, epoch ms. */
type Clock = { offsetAt(time: number): number }

/** Clocks by time zone. There are a few hundred, and creating one takes longer than all its uses. */
const clocks = new Map<string, Clock>()

const openClock = (timeZone: string): Clock => {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const clock: Clock = {
    offsetAt: (time) => {
      const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
      const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
      const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
      return shown - Math.floor(time / 1000) * 1000
    },
  }
  clocks.set(timeZone, clock)
  return clock
}

/**
 * Returns the moments at which a clock shows a time, in their order. There are two if the clock goes back. If the clock
 * skips the time, there is none, and the end of the gap is returned.
 */
const momentsOf = ({ offsetAt }: Clock, shown: number): { moments: number[]; gapEnd: number | undefined } => {
  const [before, after] = [offsetAt(shown - dayMs), offsetAt(shown + dayMs)]
  const moments = [...new Set([before, after])]
    .map((offset) => shown - offset)
    .filter((time) => time + offsetAt(time) === shown)
    .toSorted((a, b) => a - b)
  if (moments.length > 0) return { moments, gapEnd: undefined }
  // The clock change is after `low`, and at `high` or before.
  let [low, high] = [shown - dayMs, shown + dayMs]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (offsetAt(middle) === before) low = middle
    else high = middle
  }
  return { moments, gapEnd: high }
}

/** Whether an expression includes every hour of a day. */
const isHourly = (expression: string): boolean => {
  const [minutes = '', hours = ''] = expression.trim().split(/\s+/)
  if (minutes.startsWith('@')) return minutes.toLowerCase() === '@hourly'
  const named = new Set<number>()
  for (const part of hours.split(',')) {
    const [range = '', step = '1'] = part.split('/')
    const [first = '', last = first] = range === '*' || range === '?' ? ['0', '23'] : range.split('-')
    for (let hour = Number(first); hour <= Math.min(Number(last), 23); hour += Math.max(Number(step), 1))
      named.add(hour)
  }
  return named.size === 24
}

/**
 * Returns the next moment after `now` (epoch ms) of a cron expression in a time zone; null if there is none. A time
 * that the clock skips runs once, at the end of the gap. A time that the clock shows twice runs the first time. An
 * expression for every hour runs whenever the clock shows its minutes, so that an hour passes between two runs. Throws
 * for an invalid expression.
 */
export const nextCronTime = (expression: string, timeZone: string, now: number): Date | null => {
  const pattern = new Cron(expression, { timezone: 'UTC', mode: '5-part' })
  const clock = openClock(timeZone)
  const offset = clock.offsetAt(now)
  const shownNow = now + offset
  const after = (shown: number): number | undefined => pattern.nextRun(new Date(shown))?.getTime()
  if (!isHourly(expression)) {
    for (let shown = after(shownNow); shown !== undefined; shown = after(shown)) {
      const { moments, gapEnd } = momentsOf(clock, shown)
      const time = moments[0] ?? gapEnd ?? 0
      if (time > now) return new Date(time)
    }
    return null
  }
  const direct = after(shownNow)
  if (direct !== undefined && clock.offsetAt(direct - offset) === offset) return new Date(direct - offset)
  let first: number | undefined
  // After the clock was set back, it may show a time a second time.
  for (let shown = after(shownNow - setBackMs); shown !== undefined; shown = after(shown)) {
    for (const time of momentsOf(clock, shown).moments)
      if (time > now && (first === undefined || time < first)) first = time
    if (shown > shownNow && first !== undefined) return new Date(first)
  }
  return first === undefined ? null : new Date(first)
}

/** Returns the first times of an expression on a clock that never changes. Throws for an invalid expression. */
export const shownTimes = (expression: string, count: number, now: number): Date[] =>
  new Cron(expression, { timezone: 'UTC', mode: '5-part' }).nextRuns(count, new Date(now))
