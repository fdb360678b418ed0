import type { Db } from '@tributary/api-kit'
import type { QueryOptions } from '@tributary/storage'
import type { ControlDeps } from '../../deps.ts'
import { countFirstEvents, countProfiles, type ProfilesCounted } from '../../profiles/count.ts'
import { type CataloguePlan, planOf } from '../catalogue.ts'
import { planNow } from '../limits.ts'
import { type UsagePeriod, usagePeriod } from './period.ts'

type Deps = Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'billing' | 'clock'>

/** The plan that an organization is on, and the period that its usage is counted in. */
export const readPlan = async (
  { db, billing, clock }: Pick<Deps, 'db' | 'billing' | 'clock'>,
  organizationId: string,
): Promise<{ plan: CataloguePlan; period: UsagePeriod }> => {
  const subscription = await db
    .selectFrom('subscriptions')
    .select(['plan', 'period_start_time', 'past_due_time'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return {
    plan: planOf(billing.plans, planNow(subscription, billing, clock())),
    period: usagePeriod(subscription?.period_start_time, clock()),
  }
}

export const workspacesOf = async (db: Db, organizationId: string): Promise<string[]> => {
  const rows = await db.selectFrom('workspaces').select('id').where('organization_id', '=', organizationId).execute()
  return rows.map(({ id }) => id)
}

/** The events of workspaces in a period. */
export const inPeriod = (workspaces: readonly string[], { start, end }: UsagePeriod): ProfilesCounted => ({
  workspaces,
  conditions: [
    'receive_time >= fromUnixTimestamp64Milli({period_start:Int64})',
    'receive_time < fromUnixTimestamp64Milli({period_end:Int64})',
  ],
  params: { period_start: start.getTime(), period_end: end.getTime() },
})

export type PlanUsage = { profiles: number; events: number }

/** What plans count of a period: events that were accepted for the first time and are no tests, and the profiles in them. */
export const readUsage = async (
  deps: Pick<Deps, 'db' | 'eventStore' | 'profileLedger'>,
  workspaces: readonly string[],
  period: UsagePeriod,
  options: QueryOptions,
): Promise<PlanUsage> => {
  if (workspaces.length === 0) return { profiles: 0, events: 0 }
  const counted = inPeriod(workspaces, period)
  const [profiles, events] = await Promise.all([
    countProfiles(deps, counted, options),
    countFirstEvents(deps, counted, options),
  ])
  return { profiles: profiles[0]?.[1] ?? 0, events: events[0]?.[1] ?? 0 }
}

/** Held events that were neither released nor removed. */
export const heldWhere = `workspace_id in {workspaces:Array(String)} and status = 'held'
  and receive_time >= fromUnixTimestamp64Milli({kept_from:Int64})
  and event_id not in (select event_id from replayed_events where workspace_id in {workspaces:Array(String)})`

export type HeldBySource = { workspaceId: string; sourceId: string; events: number; oldest: number }

/** Held events that wait, by source. What was received before `keptFrom` (epoch ms) counts as removed. */
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
