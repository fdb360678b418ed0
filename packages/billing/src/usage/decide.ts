import { type PlanFeatures } from '@tributary/contract'
import type { PlanUsage } from './read-usage.ts'

/** What of a plan is measured. */
export const measured = ['profiles', 'events'] as const
export type Measured = (typeof measured)[number]

/** The shares of a limit at which its administrators are notified. */
export const warnAt = [100, 80] as const
export type Warning = { what: Measured; percent: (typeof warnAt)[number] }

/** The state of an organization's usage of its plan. */
export type Standing = {
  /** When it was first seen beyond a limit; null while it is within. */
  over: Date | null
  /** Its events are held. */
  holds: boolean
  /** The highest share of each limit that it has reached. */
  warnings: Warning[]
}

/** How much of a limit is used, in whole percent, rounded down; -1 is without a limit. A limit of nothing is used up. */
export const percentOf = (used: number, limit: number): number =>
  limit < 0 ? 0 : limit === 0 ? 100 : Math.floor((used * 100) / limit)

/**
 * The standing of an organization. It is over when it has used more than the limits beyond which usage is held. Its events are held once the
 * grace has passed since. A free plan holds usage beyond its limits. A paid one bills usage beyond its limits, and holds usage
 * beyond the cap.
 */
export const standingOf = (
  usage: PlanUsage,
  limits: Pick<PlanFeatures, Measured>,
  {
    now,
    over: since,
    graceMs,
    holdsBeyond,
  }: { now: number; over: Date | null; graceMs: number; holdsBeyond: Pick<PlanFeatures, Measured> },
): Standing => {
  const isOver = measured.some((what) => holdsBeyond[what] >= 0 && usage[what] > holdsBeyond[what])
  const over = isOver ? (since ?? new Date(now)) : null
  return {
    over,
    holds: over !== null && now >= over.getTime() + graceMs,
    warnings: measured.flatMap((what) => {
      const used = limits[what] < 0 ? 0 : percentOf(usage[what], limits[what])
      const percent = warnAt.find((each) => used >= each)
      return percent === undefined ? [] : [{ what, percent }]
    }),
  }
}
