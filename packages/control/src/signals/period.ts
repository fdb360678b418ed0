import { signalLimits } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'

const daySeconds = 86_400

/**
 * The first day of a period and the day after its last one, as `YYYY-MM-DD` in UTC. `before` is the first day of the
 * previous period of the same length.
 */
export type DayPeriod = { from: string; to: string; before: string }

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const refuse = (text: string): Error =>
  badRequest('VALIDATION', `end_date.seconds: ${text}`, { 'end_date.seconds': text })

/** Returns the whole UTC days of a period. Throws 400 if the period ends before it starts, or is too long. */
export const daysOf = ({
  'start_date.seconds': start,
  'end_date.seconds': end,
}: {
  'start_date.seconds': number
  'end_date.seconds': number
}): DayPeriod => {
  if (end <= start) throw refuse('Must be after start_date.seconds')
  const first = Math.floor(start / daySeconds) * daySeconds
  const last = Math.ceil(end / daySeconds) * daySeconds
  if (last - first > signalLimits.days * daySeconds)
    throw refuse(`At most ${signalLimits.days} days after start_date.seconds`)
  return { from: dayOf(first), to: dayOf(last), before: dayOf(Math.max(0, first - (last - first))) }
}

/** Returns a day in the form that charts use: `YYYYMMDD`. */
export const dayName = (day: string): string => day.replaceAll('-', '')
