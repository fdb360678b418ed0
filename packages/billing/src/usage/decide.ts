import { type PlanFeatures } from '@tributary/contract'
import type { PlanUsage } from './read-usage.ts'

/** The measured quantities of a plan. */
export const measured = ['profiles', 'events'] as const
export type Measured = (typeof measured)[number]

/** The percentages of a limit at which administrators are notified. */
export const warnAt = [100, 80] as const
export type Warning = { what: Measured; percent: (typeof warnAt)[number] }

/** The result of comparing an organization's usage with its plan. */
export type Standing = {
  /** The time when usage beyond a limit was first seen; null while usage is within all limits. */
  over: Date | null
  /** Whether the organization's events are held. */
  holds: boolean
  /** The highest reached percentage of each limit. */
  warnings: Warning[]
}

/**
 * Returns the used share of a limit in whole percent, rounded down. -1 means no limit. A limit of 0 counts as used up.
 */
export const percentOf = (used: number, limit: number): number =>
  limit < 0 ? 0 : limit === 0 ? 100 : Math.floor((used * 100) / limit)

/**
 * Returns the standing of an organization. It is over if its usage exceeds the limits beyond which events are held. Its
 * events are held once it has been over for the grace period. A free plan holds events beyond its limits. A paid plan
 * bills usage beyond its limits, and holds events beyond the cap.
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
