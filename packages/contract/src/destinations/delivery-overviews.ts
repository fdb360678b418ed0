import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { epochSeconds } from '../events/metrics.ts'
import { parkedSummary } from './deliveries.ts'
import { deliveryOutcomes } from './delivery-outcomes.ts'

/** Maximum days of an overview; the previous period of the same length is read, too. */
export const overviewDays = { hour: 2, day: 92 } as const

const totals = deliveryOutcomes.extend({
  /** Delivered events without an earlier failure. */
  first_try: z.number().int(),
  /** 95th percentile of the latency; null without deliveries. */
  p95_latency_ms: z.number().int().nullable(),
})
export type DeliveryTotals = z.infer<typeof totals>

/** Outcomes of events by hour or day. */
const bucket = z.object({
  /** Events that were delivered at the first attempt. */
  delivered: z.number().int(),
  /** Events that were delivered after a failure. */
  retried: z.number().int(),
  failed: z.number().int(),
  filtered: z.number().int(),
})
export type DeliveryBucket = z.infer<typeof bucket>

export const deliveryOverview = z.object({
  current: totals,
  /** The previous period of the same length. */
  previous: totals,
  /**
   * Outcomes in the current period, by UTC day (`YYYYMMDD`) or hour (`YYYYMMDDHH`); hours and days without outcomes are
   * omitted.
   */
  buckets: z.record(z.string(), bucket),
  /**
   * Why events of the current period were filtered or became dead letters, the most frequent first; at most 20 of each.
   */
  reasons: z.array(
    z.object({ status: z.enum(['filtered', 'dead']), reason: z.string(), event_count: z.number().int() }),
  ),
  /** Deliveries that are parked now, regardless of the period. */
  waiting: parkedSummary,
  dead: parkedSummary,
})
export type DeliveryOverview = z.infer<typeof deliveryOverview>

export const deliveryOverviews = {
  get: defineMethod({
    name: 'deliveryOverviews.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/deliveryOverview',
    access: workspaceMembers,
    summary:
      "Gets a destination's delivery outcomes from `start_date.seconds` to before `end_date.seconds` (at most 92 days, or 2 days by hour), and for the previous period. Each event counts once, regardless of retries.",
    query: z.object({
      'start_date.seconds': epochSeconds,
      'end_date.seconds': epochSeconds,
      granularity: z.enum(['hour', 'day']).default('day'),
    }),
    response: deliveryOverview,
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
}
