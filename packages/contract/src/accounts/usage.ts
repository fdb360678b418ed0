import { z } from 'zod'
import { organizationAdministrators } from '../api/access.ts'
import { errors, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

const count = z.number().int()

/** The usage of one limit. */
export const measuredUsage = z.object({
  used: count,
  /** Limit of the plan; -1 for unlimited. */
  limit: count,
  /**
   * The projection for the end of the period at the pace of the last seven days; null when the period has just begun.
   */
  projected: count.nullable(),
})
export type MeasuredUsage = z.infer<typeof measuredUsage>

/** The present cost of the profiles above the included ones in the current period. Amounts are decimal text. */
export const overage = z.object({
  /** Profiles that the plan includes in the period. */
  included: count,
  /** Price of each started block of 10,000 additional profiles. */
  price: z.string(),
  currency: z.string(),
  /** The number of blocks of 10,000 that are billed at present, and their cost. */
  blocks: count,
  amount: z.string(),
  /** Maximum amount that is billed in a period; null without a cap. */
  cap: z.string().nullable(),
  /**
   * Number of profiles from which nothing more is billed. After the grace period, events are held above this number.
   * Null without a cap.
   */
  holds_beyond: count.nullable(),
})
export type Overage = z.infer<typeof overage>

/** The usage of an organization in the current period, and its held events. Days are of UTC. */
export const usageReport = z.object({
  period_start_time: time,
  period_end_time: time,
  profiles: measuredUsage,
  events: measuredUsage,
  /** Each day with usage, oldest first. A profile counts on the day of its first event in the period. */
  days: z.array(z.object({ date: z.string(), events: count, new_profiles: count })),
  /** Sources with events or held events, those with the most events first, at most 1,000; deleted ones included. */
  sources: z.array(
    z.object({
      source: z.string(),
      title: z.string(),
      workspace_title: z.string(),
      events: count,
      profiles: count,
      held_events: count,
    }),
  ),
  /** The usage of workspaces that were deleted in the period. Their usage still counts. */
  deleted_workspaces: z.object({ events: count, profiles: count }),
  /** The cost of additional profiles; null on a plan that does not bill profiles above the included ones. */
  overage: overage.nullable(),
  /** Hours per period that an organization can be over a limit before its events are held. */
  grace_hours: count,
  /**
   * The time from which events are held if the organization stays over a limit. Null while it is within its plan, and
   * on plans that never hold events.
   */
  holds_from_time: time.nullable(),
  held: z.object({
    /** Number of held events of all periods. */
    events: count,
    /** The time since which events are held; null while they are not. */
    since: time.nullable(),
    /**
     * The time when the oldest held event is removed; null while nothing is held, and where events are kept forever.
     */
    removal_time: time.nullable(),
    /** Held events that were removed because they reached the maximum age. */
    removed_events: count,
  }),
})
export type UsageReport = z.infer<typeof usageReport>

export const usageReports = {
  get: defineMethod({
    name: 'usageReports.get',
    verb: 'GET',
    path: '/organizations/{organization}/usageReport',
    access: organizationAdministrators,
    summary:
      "Gets an organization's usage of the current period by day and by source, its projection, and its held events.",
    response: usageReport,
    errors: [errors.forbidden, errors.notFound],
  }),
}

export const overageCaps = {
  update: defineMethod({
    name: 'overageCaps.update',
    verb: 'PUT',
    path: '/organizations/{organization}/overageCap',
    access: organizationAdministrators,
    summary:
      'Sets what an organization pays at most for additional profiles in a period, or removes that cap. What has been used is billed nevertheless.',
    request: z.object({
      /** The cap as decimal text in the currency of the plans; null for no cap. */
      amount: z.string().max(20, 'At most 20 characters').nullable(),
    }),
    response: z.object({ amount: z.string().nullable(), currency: z.string() }),
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
