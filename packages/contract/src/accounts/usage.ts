import { z } from 'zod'
import { organizationAdministrators } from '../api/access.ts'
import { errors, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

const count = z.number().int()

/** How much of one limit is used. */
export const measuredUsage = z.object({
  used: count,
  /** -1 without a limit. */
  limit: count,
  /** What it comes to by the end of the period at the pace of the last seven days; null when the period has just begun. */
  projected: count.nullable(),
})
export type MeasuredUsage = z.infer<typeof measuredUsage>

/** What the profiles beyond those of a plan cost in the current period, as it stands. Amounts are decimal text. */
export const overage = z.object({
  /** Profiles that the plan includes in the period. */
  included: count,
  /** What each started 10,000 more cost. */
  price: z.string(),
  currency: z.string(),
  /** How many times 10,000 more are billed as it stands, and what that costs. */
  blocks: count,
  amount: z.string(),
  /** What is billed at most in a period; null without a cap. */
  cap: z.string().nullable(),
  /** From how many profiles on nothing more is billed and events are held once the grace has passed; null without a cap. */
  holds_beyond: count.nullable(),
})
export type Overage = z.infer<typeof overage>

/** What an organization has used of its plan in the current period, and what of it is held. Days are of UTC. */
export const usageReport = z.object({
  period_start_time: time,
  period_end_time: time,
  profiles: measuredUsage,
  events: measuredUsage,
  /** Each day that has any, oldest first. A profile counts on the day of its first event in the period. */
  days: z.array(z.object({ date: z.string(), events: count, new_profiles: count })),
  /** Sources with events or held events, those with the most events first, 1,000 at most; deleted ones included. */
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
  /** What workspaces have used that were deleted since: it counts nevertheless. */
  deleted_workspaces: z.object({ events: count, profiles: count }),
  /** Null on a plan whose profiles beyond those included are not billed. */
  overage: overage.nullable(),
  /** How long an organization can be over a limit in each period before its events are held. */
  grace_hours: count,
  /** From when events are held unless the organization is within its plan before; null while it is, and where plans do not hold. */
  holds_from_time: time.nullable(),
  held: z.object({
    /** Held events that wait, of all periods. */
    events: count,
    /** Since when events are held; null while they are not. */
    since: time.nullable(),
    /** When the oldest of them is removed; null while nothing is held, and where events are kept forever. */
    removal_time: time.nullable(),
    /** Held events that were removed because they were older than events are kept. */
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
      /** Decimal text in the currency of the plans; null for no cap. */
      amount: z.string().max(20, 'At most 20 characters').nullable(),
    }),
    response: z.object({ amount: z.string().nullable(), currency: z.string() }),
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
