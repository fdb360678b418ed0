import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { epochSeconds } from '../events/metrics.ts'

/** Limits of a count of what was left out. */
export const leftOutLimits = { days: 92, reasons: 20 } as const

export const leftOutCounts = {
  get: defineMethod({
    name: 'leftOutCounts.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/leftOutCounts',
    access: workspaceMembers,
    summary:
      "Counts what a destination's events were sent without, by reason, from `start_date.seconds` to before `end_date.seconds` (at most 92 days). `left_out` of `deliveries.list` lists the deliveries of a reason.",
    query: z.object({ 'start_date.seconds': epochSeconds, 'end_date.seconds': epochSeconds }),
    response: z.object({
      /** The most frequent reasons, at most 20. A reason names the field, such as `ga_x: a reserved name`, but no value. */
      left_out: z.array(z.object({ reason: z.string(), delivery_count: z.number().int() })),
    }),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
}
