import { countFirstEvents, countProfiles, type Db } from '@tributary/api-kit'
import { type PlanFeatures, profileBlock } from '@tributary/contract'
import type { QueryOptions } from '@tributary/storage'
import { type CataloguePlan, planOf, plansHold } from '../catalogue.ts'
import { planNow } from '../limits.ts'
import { blocksWithin, type OverageTerms } from '../overage/amount.ts'
import { readCap } from '../overage/read-cap.ts'
import { overageTerms, termsOf } from '../overage/track.ts'
import type { BillingServices } from '../services.ts'
import { countUsage, inPeriod } from './counted.ts'
import { type UsagePeriod, usagePeriod } from './period.ts'

type Deps = Pick<BillingServices, 'db' | 'eventStore' | 'profileLedger' | 'billing' | 'clock'>

/**
 * A plan in a period. `overage` has the terms for billing profiles beyond the plan; undefined if they are not billed.
 */
export type PlanPeriod = {
  plan: CataloguePlan
  period: UsagePeriod
  overage:
    | (OverageTerms & {
        /**
         * The maximum amount that the organization pays (`cap`, minor units), and the maximum number of blocks that it
         * covers (`most`).
         */
        cap: number | undefined
        most: number | undefined
      })
    | undefined
}

/** Reads the current plan of an organization, and the period in which its usage is counted. */
export const readPlan = async (
  { db, billing, clock }: Pick<Deps, 'db' | 'billing' | 'clock'>,
  organizationId: string,
): Promise<PlanPeriod> => {
  const subscription = await db
    .selectFrom('subscriptions')
    .select(['plan', 'currency', 'recurring_interval', 'period_start_time', 'period_end_time', 'past_due_time'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  const plan = planOf(billing.plans, planNow(subscription, billing, clock()))
  if (subscription === undefined) return { plan, period: usagePeriod(undefined, clock()), overage: undefined }
  const { recurring_interval: interval, period_start_time: start, period_end_time: end } = subscription
  const period = usagePeriod({ start, end, interval }, clock())
  const row = await db
    .selectFrom('usage_periods')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('start_time', '=', period.start)
    .executeTakeFirst()
  const terms = row === undefined ? overageTerms(billing, subscription) : termsOf(row)
  if (terms.included < 0) return { plan, period, overage: undefined }
  const cap = await readCap(db, organizationId)
  const within = blocksWithin(cap, terms)
  const most = within === undefined ? undefined : Math.max(within, Number(row?.least_blocks ?? 0))
  return { plan, period, overage: { ...terms, cap: within === undefined ? undefined : cap?.amount, most } }
}

/** Returns the limits beyond which events are held after the grace period; -1 for no limit. */
export const holdLimits = ({ plan, overage }: PlanPeriod): Pick<PlanFeatures, 'profiles' | 'events'> => {
  if (plansHold(plan)) return plan.features
  return overage?.most === undefined
    ? { profiles: -1, events: -1 }
    : { profiles: overage.included + overage.most * profileBlock, events: -1 }
}

/** Reads the IDs of the workspaces of an organization, without deleted ones. */
export const workspacesOf = async (db: Db, organizationId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('delete_time', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

export type PlanUsage = { profiles: number; events: number }

/**
 * Counts the usage of an organization in a period: events that were accepted for the first time and are not tests, and
 * the profiles in them. The usage of a workspace still counts after its deletion.
 */
export const readUsage = async (
  deps: Pick<Deps, 'db' | 'eventStore' | 'profileLedger'>,
  organizationId: string,
  period: UsagePeriod,
  options: QueryOptions,
): Promise<PlanUsage> => {
  const { counted, kept } = await countUsage(deps.db, organizationId, period, async (workspaces) => {
    if (workspaces.length === 0) return { profiles: 0, events: 0 }
    const own = inPeriod(workspaces, period)
    const [profiles, events] = await Promise.all([
      countProfiles(deps, own, options),
      countFirstEvents(deps, own, options),
    ])
    return { profiles: profiles[0]?.[1] ?? 0, events: events[0]?.[1] ?? 0 }
  })
  return {
    profiles: kept.reduce((sum, { profiles }) => sum + profiles, counted.profiles),
    events: kept.reduce((sum, { events }) => sum + events, counted.events),
  }
}

/** The SQL condition for held events that were neither released nor removed. */
export const heldWhere = `workspace_id in {workspaces:Array(String)} and status = 'held'
  and receive_time >= fromUnixTimestamp64Milli({kept_from:Int64})
  and event_id not in (select event_id from replayed_events where workspace_id in {workspaces:Array(String)})`

export type HeldBySource = { workspaceId: string; sourceId: string; events: number; oldest: number }

/** Counts the held events by source. Events received before `keptFrom` (epoch ms) count as removed. */
export const readHeld = async (
  { eventStore }: Pick<Deps, 'eventStore'>,
  workspaces: readonly string[],
  keptFrom: Date | null,
  options: QueryOptions,
): Promise<HeldBySource[]> => {
  const rows = await eventStore.query<{ workspace_id: string; source_id: string; n: number; oldest: number }>(
    `select workspace_id, source_id, count() as n, toUnixTimestamp64Milli(min(receive_time)) as oldest
     from events where ${heldWhere} group by workspace_id, source_id order by n desc, source_id`,
    { workspaces, kept_from: keptFrom?.getTime() ?? 0 },
    options,
  )
  return rows.map((row) => ({
    workspaceId: row.workspace_id,
    sourceId: row.source_id,
    events: Number(row.n),
    oldest: Number(row.oldest),
  }))
}
