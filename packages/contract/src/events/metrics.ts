import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, reference } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { compatibilities } from '../sources/compatibility.ts'

/**
 * The metrics over time.
 * - `events_received` counts accepted, blocked, and held events.
 * - `deliveryOutcomes` count each event once per destination, by its last outcome before the end of the range, in the
 *   bucket of that outcome.
 * - `syncs_failed` counts failed runs of syncs, by when they ended.
 * - `profiles` counts distinct profiles with an accepted event that is neither a test nor a replay of a blocked one.
 *   Merged profiles count as one, exactly.
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
 * The size of the buckets: a UTC hour (`YYYYMMDDHH`), a UTC day (`YYYYMMDD`), or the whole range (`total`). Do not add
 * up buckets of profiles: a user seen in two hours is one profile.
 */
export const granularities = ['hour', 'day', 'total'] as const
export type Granularity = (typeof granularities)[number]

/** Maximum days of a range; the range for hours is shorter. */
export const metricRangeDays = { hour: 31, day: 400, total: 400 } as const satisfies Record<Granularity, number>

/** A time in whole seconds since 1970, as a number or as text. */
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
      /** Counts only events of this source, by resource name. Not for runs of syncs, which have no source. */
      source: reference.optional(),
      /** Counts only events with this validation result. Not for deliveries, which have none. */
      compatibility: z.enum(compatibilities).optional(),
    }),
    response: z.record(z.string(), z.number()),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
}
