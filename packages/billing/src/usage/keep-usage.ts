import { countFirstEvents, countNewProfiles, markUsageKept } from '@tributary/api-kit'
import { systemOwner } from '@tributary/storage'
import type { BillingServices } from '../services.ts'
import { dayOfEvent, inPeriod } from './counted.ts'
import type { UsagePeriod } from './period.ts'
import { readPlan } from './read-usage.ts'

type Deps = Pick<BillingServices, 'db' | 'eventStore' | 'profileLedger' | 'billing' | 'clock'>

/**
 * Returns the periods of an organization that may still be counted: the current one, and those that are not billed yet.
 */
const openPeriods = async (deps: Deps, organizationId: string): Promise<UsagePeriod[]> => {
  const { period } = await readPlan(deps, organizationId)
  const rows = await deps.db
    .selectFrom('usage_periods')
    .select(['start_time', 'end_time'])
    .where('organization_id', '=', organizationId)
    .where('close_time', 'is', null)
    .where('start_time', '!=', period.start)
    .execute()
  return [period, ...rows.map(({ start_time: start, end_time: end }) => ({ start, end }))]
}

/** Counts the usage of a workspace in a period by day. */
const countDays = async (deps: Deps, workspace: string, period: UsagePeriod, signal: AbortSignal) => {
  const counted = { ...inPeriod([workspace], period), bucket: dayOfEvent }
  const options = { owner: systemOwner, slot: 'heavy', signal } as const
  const [events, profiles] = await Promise.all([
    countFirstEvents(deps, counted, options),
    countNewProfiles(deps, counted, options),
  ])
  const profilesOn = new Map(profiles)
  return events.map(([day, count]) => ({
    period_start_time: period.start,
    day: new Date(Number(day) * 1000),
    events: count,
    profiles: profilesOn.get(day) ?? 0,
  }))
}

/**
 * Stores the usage of deleted workspaces of an organization, before their events are removed. It counts toward the
 * periods in which it was collected, so that deleting a workspace does not reduce an invoice. Events that are stored
 * later do not count.
 */
export const keepUsage = async (
  deps: Deps,
  organizationId: string,
  workspaces: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const { db, clock } = deps
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where('id', 'in', workspaces)
    .where('usage_kept_time', 'is', null)
    .execute()
  if (rows.length === 0) return
  const periods = await openPeriods(deps, organizationId)
  for (const { id } of rows) {
    const days: Awaited<ReturnType<typeof countDays>> = []
    for (const period of periods) days.push(...(await countDays(deps, id, period, signal)))
    await db.transaction().execute(async (tx) => {
      const marked = await markUsageKept(tx, id, new Date(clock()))
      if (!marked || days.length === 0) return
      await tx
        .insertInto('kept_usage')
        .values(days.map((day) => ({ organization_id: organizationId, workspace_id: id, ...day })))
        .execute()
    })
  }
}
