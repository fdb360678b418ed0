import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, reference } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { compatibilities } from '../sources/compatibility.ts'

/**
 * What can be counted over time. `events_received` are those that were received and understood: accepted, blocked,
 * and held ones. Deliveries count by `deliveryOutcomes`: once for each event and destination, by the last thing that happened before
 * the end of the range, in its bucket. `syncs_failed` are the runs of syncs that failed, by when they ended. `profiles` are the distinct profiles with an accepted event that is no test and no replay
 * of a blocked one: of those that were merged one, exactly.
 */
export const metricNames = [
  'events_received',
  'events_rejected',
  'events_blocked',
  'events_held',
  'deliveries_succeeded',
  'deliveries_failed',
  'syncs_failed',
  'profiles',
] as const
export type MetricName = (typeof metricNames)[number]

/**
 * Per UTC hour (buckets `YYYYMMDDHH`), per UTC day (`YYYYMMDD`) or over the whole range (one bucket, `total`: the same
 * user seen in two hours is one profile, so buckets cannot be summed up).
 */
export const granularities = ['hour', 'day', 'total'] as const
export type Granularity = (typeof granularities)[number]

/** The longest range, days; hours are told apart over a shorter one. */
export const metricRangeDays = { hour: 31, day: 400, total: 400 } as const satisfies Record<Granularity, number>

/** Whole seconds since 1970, also as text. */
export const epochSeconds = z
  .union([z.number().int().min(0).max(9_999_999_999), z.string().regex(/^\d{1,10}$/, 'Must be whole seconds')])
  .transform(Number)

export const metrics = {
  get: defineMethod({
    name: 'metrics.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/metrics',
    access: workspaceMembers,
    summary:
      'Counts per UTC hour, per UTC day, or in total from `start_date.seconds` to before `end_date.seconds` (at most 400 days, hours at most 31), as a map of bucket to number. Empty buckets are omitted; a total is always returned. `events_received` counts accepted, blocked, and held events, `profiles` the distinct profiles with an accepted event that is neither a test event nor a replay, `syncs_failed` the runs of syncs that failed.',
    query: z.object({
      metric: z.enum(metricNames),
      'start_date.seconds': epochSeconds,
      'end_date.seconds': epochSeconds,
      granularity: z.enum(granularities).default('day'),
      /** Only the events of this source, by resource name; runs of syncs have none. */
      source: reference.optional(),
      /** Only events that were validated so; deliveries are not validated. */
      compatibility: z.enum(compatibilities).optional(),
    }),
    response: z.record(z.string(), z.number()),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
}
