import { countLimited, type PlanUsage, readPlan, readUsage, workspacesOf } from '@tributary/billing'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** If a count took longer than this time in ms, its result is reused for `keepMs`. */
const slowMs = 500
const keepMs = 60_000

type Kept = { until: number; usage: PlanUsage; period: number }

/**
 * Counts the resources of an organization that are limited by its plan: members, workspaces, audiences, syncs, sources,
 * and destinations that are not deleted. Events and profiles are counted for the current period, as on the billing
 * page. If counting is slow, the numbers may be a minute old.
 */
export const getUsage = ({
  db,
  eventStore,
  profileLedger,
  clock,
  billing,
}: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'clock' | 'billing'>): Handler<
  typeof methods.organizations.getUsage
> => {
  const kept = new Map<string, Kept>()

  const usageOf = async (
    organizationId: string,
    period: { start: Date; end: Date },
    signal: AbortSignal,
  ): Promise<PlanUsage> => {
    const started = clock()
    for (const [id, { until }] of kept) if (until <= started) kept.delete(id)
    const found = kept.get(organizationId)
    if (found?.period === period.start.getTime()) return found.usage
    const options = { owner: organizationId, slot: 'heavy', signal } as const
    const usage = await readUsage({ db, eventStore, profileLedger }, organizationId, period, options)
    const ended = clock()
    if (ended - started > slowMs)
      kept.set(organizationId, { until: ended + keepMs, usage, period: period.start.getTime() })
    return usage
  }

  return async ({ organization: { id }, signal }) => {
    const ids = await workspacesOf(db, id)
    const count = (what: Parameters<typeof countLimited>[2]) => countLimited(db, id, what, clock())
    const { plan, period } = await readPlan({ db, billing, clock }, id)
    const [sources, destinations, audiences, syncs, members, usage] = await Promise.all([
      count('sources'),
      count('destinations'),
      count('audiences'),
      count('syncs'),
      count('members'),
      usageOf(id, period, signal),
    ])
    const { white_glove_onboarding: _, customer_success_manager: __, ...limits } = plan.features
    return {
      workspaces: ids.length,
      sources,
      profiles: usage.profiles,
      destinations,
      audiences,
      syncs,
      members,
      events: usage.events,
      period_end_time: period.end.toISOString(),
      limits: billing.limits ? limits : null,
    }
  }
}
