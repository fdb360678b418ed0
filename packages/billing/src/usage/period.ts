import type { BillingFrequency } from '@tributary/contract'
import { periodEnd } from '../periods.ts'

export type UsagePeriod = { start: Date; end: Date }

/** The period that a subscription is billed for, and its billing frequency. */
export type BilledPeriod = UsagePeriod & { interval: BillingFrequency }

/**
 * If a month of usage ends less than this time in ms before the paid period, it ends with the paid period. Months
 * differ in length.
 */
const nearMs = 7 * 86_400_000

/**
 * Returns the end of the month of usage that starts at `start`. Months are counted from `anchor`. The end is never
 * after `last`, and leaves no short rest before `last`.
 */
export const usageMonthEnd = (anchor: Date, start: Date, last: Date): Date => {
  const end = periodEnd(anchor, start, 'MONTHLY')
  return start < last && end.getTime() > last.getTime() - nearMs ? last : end
}

/**
 * Returns the period in which usage is counted at the time `now`, in UTC. It is the period of a monthly subscription, a
 * month of an annual one, or the calendar month if there is no subscription. If it is unknown whether a period was
 * renewed, it counts as renewed.
 */
export const usagePeriod = (billed: BilledPeriod | undefined, now: number): UsagePeriod => {
  const at = new Date(now)
  if (billed === undefined || billed.start > at)
    return {
      start: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)),
      end: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)),
    }
  let { start } = billed
  let end = billed.interval === 'MONTHLY' ? billed.end : usageMonthEnd(billed.start, start, billed.end)
  while (end <= at) {
    start = end
    end = usageMonthEnd(start < billed.end ? billed.start : billed.end, start, billed.end)
  }
  return { start, end }
}

const dayMs = 86_400_000

/**
 * Projects a count to the end of the period. The rest of the period continues at the rate of its last seven days, or of
 * the whole period so far if that is shorter. The counts are in `days`, by the start of the day (epoch ms). Returns
 * undefined for a period that has just begun.
 */
export const projected = (
  days: readonly (readonly [day: number, count: number])[],
  { start, end }: UsagePeriod,
  now: number,
): number | undefined => {
  const since = Math.max(start.getTime(), now - 7 * dayMs)
  if (now - start.getTime() < dayMs) return undefined
  const used = days.reduce((sum, [, count]) => sum + count, 0)
  // A day that lies only partly in the window counts in proportion.
  const recent = days.reduce((sum, [day, count]) => {
    const from = Math.max(day, start.getTime())
    const to = Math.min(day + dayMs, now)
    const within = Math.max(0, to - Math.max(from, since))
    return to <= from ? sum : sum + (count * within) / (to - from)
  }, 0)
  return Math.round(used + (recent / (now - since)) * Math.max(0, end.getTime() - now))
}
