import { signalLimits } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'

const daySeconds = 86_400

/** Days of a period as `YYYY-MM-DD` in UTC, the last one excluded, and the period of the same length before. */
export type DayPeriod = { from: string; to: string; before: string }

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const refuse = (text: string): Error =>
  badRequest('VALIDATION', `end_date.seconds: ${text}`, { 'end_date.seconds': text })

/** The days of a period in whole UTC days. Throws 400 if it ends before it starts, or is too long. */
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

/** A day as charts name it: `YYYYMMDD`. */
export const dayName = (day: string): string => day.replaceAll('-', '')
