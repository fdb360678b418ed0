import { z } from 'zod'
import { compatibilities } from './compatibility.ts'
import { errors, reference } from './fields.ts'
import { defineMethod } from './method.ts'

/** What can be counted over time. */
export const metricNames = [
  'events_received',
  'events_rejected',
  'events_blocked',
  'deliveries_succeeded',
  'deliveries_failed',
  'profiles',
] as const
export type MetricName = (typeof metricNames)[number]

/** Per UTC hour (buckets `YYYYMMDDHH`) or per UTC day (`YYYYMMDD`). */
export const granularities = ['hour', 'day'] as const
export type Granularity = (typeof granularities)[number]

const seconds = z
  .union([z.number().int().nonnegative(), z.string().regex(/^\d{1,11}$/, 'Must be whole seconds')])
  .transform(Number)

export const metrics = {
  get: defineMethod({
    name: 'metrics.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/metrics',
    summary:
      'Counts per UTC hour or day from `start_date.seconds` to before `end_date.seconds` (at most 400 days, hours at most 31), as a map of bucket to number; empty buckets are left out.',
    query: z.object({
      metric: z.enum(metricNames),
      'start_date.seconds': seconds,
      'end_date.seconds': seconds,
      granularity: z.enum(granularities).default('day'),
      /** Only the events of this source, by resource name. */
      source: reference.optional(),
      /** Only events that were judged so. */
      compatibility: z.enum(compatibilities).optional(),
    }),
    response: z.record(z.string(), z.number()),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
}
