import type { BillingFrequency } from '@tributary/contract'

const daysOf = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate()

const addMonths = (anchor: Date, months: number): Date => {
  const year = anchor.getUTCFullYear()
  const month = anchor.getUTCMonth() + months
  const day = Math.min(anchor.getUTCDate(), daysOf(year, month))
  return new Date(Date.UTC(year, month, day) + (anchor.getTime() % 86_400_000))
}

/**
 * Returns the end of the period that starts at `start`. Periods are counted from the anchor in UTC. A period from the
 * 31st ends on the last day of a shorter month, and the next one on the 31st again.
 */
export const periodEnd = (anchor: Date, start: Date, interval: BillingFrequency): Date => {
  const step = interval === 'ANNUALLY' ? 12 : 1
  const between = (start.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + start.getUTCMonth() - anchor.getUTCMonth()
  for (let months = Math.max(step, Math.floor(between / step) * step); ; months += step) {
    const end = addMonths(anchor, months)
    if (end > start) return end
  }
}

/** Returns the part of an amount for the time from `now` to the end of a period, in whole minor units, rounded down. */
export const remainderOf = (amount: number, period: { start: Date; end: Date }, now: Date): number => {
  const whole = BigInt(Math.max(1, period.end.getTime() - period.start.getTime()))
  const left = BigInt(Math.max(0, period.end.getTime() - Math.max(now.getTime(), period.start.getTime())))
  return Number((BigInt(amount) * left) / whole)
}
