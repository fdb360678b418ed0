import type { BillingFrequency } from '@tributary/contract'
import { periodEnd } from '../periods.ts'

export type UsagePeriod = { start: Date; end: Date }

/** The period that a subscription is billed for, and its billing frequency. */
export type BilledPeriod = UsagePeriod & { interval: BillingFrequency }

/** A month that ends this close to the end of the paid period ends with it, because months differ in length. */
const nearMs = 7 * 86_400_000

/**
 * The end of a month of usage from `start`, in months from `anchor`. It is never after `last`, and no short rest is
 * left before `last`.
 */
export const usageMonthEnd = (anchor: Date, start: Date, last: Date): Date => {
  const end = periodEnd(anchor, start, 'MONTHLY')
  return start < last && end.getTime() > last.getTime() - nearMs ? last : end
}

/**
 * The period in which usage is counted at a time, in UTC. It is the period of a monthly subscription, a month of an
 * annual one, and the calendar month without a subscription. While it is unknown whether a period was renewed, it
 * counts as renewed.
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
 * The projected count at the end of the period. The rest of the period continues at the rate of its last seven days, or
 * of the whole period so far if that is shorter. The counts per day are in `days`, by their start, epoch ms. Undefined
 * for a period that has just begun.
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
