import { periodEnd } from '../periods.ts'

export type UsagePeriod = { start: Date; end: Date }

/**
 * The period that usage is counted in at a time, in UTC: a month from the anchor of the subscription, whatever it is billed by,
 * and the month of the calendar without one.
 */
export const usagePeriod = (anchor: Date | undefined, now: number): UsagePeriod => {
  const at = new Date(now)
  if (anchor === undefined || anchor.getTime() > now)
    return {
      start: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)),
      end: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)),
    }
  let start = anchor
  let end = periodEnd(anchor, start, 'MONTHLY')
  while (end.getTime() <= now) {
    start = end
    end = periodEnd(anchor, start, 'MONTHLY')
  }
  return { start, end }
}

const dayMs = 86_400_000

/**
 * What a count comes to by the end of the period when the rest of it goes on like its last seven days, or like all of it so far when that is
 * less. `days` are the counts of days by their start, epoch ms. A period that has just begun says nothing yet: undefined.
 */
export const projected = (
  days: readonly (readonly [day: number, count: number])[],
  { start, end }: UsagePeriod,
  now: number,
): number | undefined => {
  const since = Math.max(start.getTime(), now - 7 * dayMs)
  if (now - start.getTime() < dayMs) return undefined
  const used = days.reduce((sum, [, count]) => sum + count, 0)
  // A day that has partly passed before that counts by its part.
  const recent = days.reduce((sum, [day, count]) => {
    const from = Math.max(day, start.getTime())
    const to = Math.min(day + dayMs, now)
    const within = Math.max(0, to - Math.max(from, since))
    return to <= from ? sum : sum + (count * within) / (to - from)
  }, 0)
  return Math.round(used + (recent / (now - since)) * Math.max(0, end.getTime() - now))
}
