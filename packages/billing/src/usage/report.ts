import { countFirstEvents, countNewProfiles, countProfilesBy, type Db } from '@tributary/api-kit'
import { amountText, type methods, type Overage, resourceNames, type UsageReport } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { billedBlocks, startedBlocks } from '../overage/amount.ts'
import type { BillingServices } from '../services.ts'
import { countUsage, type DeletedUsageDay, dayOfEvent, inPeriod } from './counted.ts'
import { projected } from './period.ts'
import { type HeldBySource, holdLimits, type PlanPeriod, readHeld, readPlan, workspacesOf } from './read-usage.ts'

const dayMs = 86_400_000
const maxSources = 1000

type Deps = Pick<BillingServices, 'db' | 'eventStore' | 'profileLedger' | 'billing' | 'clock'>

const sum = (rows: readonly (readonly [unknown, number])[]): number => rows.reduce((all, [, count]) => all + count, 0)

/** Counts the usage in the current period, by day and by source. */
const countPeriod = async (
  deps: Deps,
  workspaces: readonly string[],
  period: { start: Date; end: Date },
  options: { owner: string; slot: 'heavy'; signal: AbortSignal },
) => {
  if (workspaces.length === 0) return { profileDays: [], eventDays: [], profileSources: [], eventSources: [] }
  const counted = inPeriod(workspaces, period)
  const [profileDays, eventDays, profileSources, eventSources] = await Promise.all([
    countNewProfiles(deps, { ...counted, bucket: dayOfEvent }, options),
    countFirstEvents(deps, { ...counted, bucket: dayOfEvent }, options),
    countProfilesBy(deps, { ...counted, bucket: 'source_id' }, options),
    countFirstEvents(deps, { ...counted, bucket: 'source_id' }, options),
  ])
  const byDay = (rows: readonly (readonly [string, number])[]) =>
    rows.map(([bucket, count]) => [Number(bucket) * 1000, count] as const)
  return { profileDays: byDay(profileDays), eventDays: byDay(eventDays), profileSources, eventSources }
}

/** Adds the stored usage of deleted workspaces to the counts of days. */
const withKept = (
  days: readonly (readonly [day: number, count: number])[],
  kept: readonly DeletedUsageDay[],
  of: 'events' | 'profiles',
): (readonly [day: number, count: number])[] => {
  const all = new Map(days)
  for (const each of kept) all.set(each.day, (all.get(each.day) ?? 0) + each[of])
  return [...all]
}

/** Returns the current cost of the profiles beyond a plan in the period. */
const presentOverage = (found: PlanPeriod, profiles: number): Overage | null => {
  const { overage } = found
  if (overage === undefined) return null
  const { included, price, currency, cap, most } = overage
  const blocks = billedBlocks(startedBlocks(profiles, overage), most)
  return {
    included,
    price: amountText(price, currency),
    currency,
    blocks,
    amount: amountText(blocks * price, currency),
    cap: cap === undefined ? null : amountText(cap, currency),
    holds_beyond: most === undefined ? null : holdLimits(found).profiles,
  }
}

/**
 * Lists the sources with events or held events, the one with the most events first. Includes deleted workspaces whose
 * events still exist.
 */
const listSources = async (
  db: Db,
  organizationId: string,
  counted: Awaited<ReturnType<typeof countPeriod>>,
  held: readonly HeldBySource[],
): Promise<{ sources: UsageReport['sources']; deleted: { events: number; profiles: number } }> => {
  const [profilesOf, eventsOf] = [new Map(counted.profileSources), new Map(counted.eventSources)]
  const heldOf = new Map(held.map((each) => [each.sourceId, each.events]))
  const ids = [...new Set([...eventsOf.keys(), ...heldOf.keys()])]
  if (ids.length === 0) return { sources: [], deleted: { events: 0, profiles: 0 } }
  const known = await db
    .selectFrom('sources')
    .innerJoin('workspaces', 'workspaces.id', 'sources.workspace_id')
    .select(['sources.id', 'sources.title', 'workspaces.id as workspace', 'workspaces.title as workspace_title'])
    .where('workspaces.organization_id', '=', organizationId)
    .where('workspaces.delete_time', 'is', null)
    .where('sources.id', 'in', ids)
    .execute()
  const sources = known
    .map((source) => ({
      source: resourceNames.source.format({ workspace: source.workspace, source: source.id }),
      title: source.title,
      workspace_title: source.workspace_title,
      events: eventsOf.get(source.id) ?? 0,
      profiles: profilesOf.get(source.id) ?? 0,
      held_events: heldOf.get(source.id) ?? 0,
    }))
    .toSorted((one, other) => other.events - one.events || one.title.localeCompare(other.title))
    .slice(0, maxSources)
  const shown = new Set(known.map((source) => source.id))
  const ofDeleted = (rows: readonly (readonly [source: string, count: number])[]) =>
    sum(rows.filter(([source]) => !shown.has(source)))
  return {
    sources,
    deleted: { events: ofDeleted(counted.eventSources), profiles: ofDeleted(counted.profileSources) },
  }
}

/** Returns the usage of an organization in its current period, for its billing page. */
export const getUsageReport =
  (deps: Deps): Handler<typeof methods.usageReports.get> =>
  async ({ organization: { id }, signal }): Promise<UsageReport> => {
    const { db, billing, clock } = deps
    const now = clock()
    const options = { owner: id, slot: 'heavy', signal } as const
    const found = await readPlan(deps, id)
    const { plan, period } = found
    const workspaces = await workspacesOf(db, id)
    const row = await db.selectFrom('plan_usage').selectAll().where('organization_id', '=', id).executeTakeFirst()
    const [{ counted, kept }, held] = await Promise.all([
      countUsage(db, id, period, (ids) => countPeriod(deps, ids, period, options)),
      row?.has_held ? readHeld(deps, workspaces, row.removed_until, options) : [],
    ])
    const profileDays = withKept(counted.profileDays, kept, 'profiles')
    const eventDays = withKept(counted.eventDays, kept, 'events')
    const usage = (days: typeof eventDays, limit: number) => ({
      used: sum(days),
      limit: billing.limits ? limit : -1,
      projected: projected(days, period, now) ?? null,
    })
    const dates = [...new Set([...profileDays, ...eventDays].map(([at]) => at))].toSorted((one, other) => one - other)
    const [profilesOn, eventsOn] = [new Map(profileDays), new Map(eventDays)]
    const { sources, deleted } = await listSources(db, id, counted, held)
    const over = billing.limits && row?.period_start_time.getTime() === period.start.getTime() ? row.over_time : null
    const holdsBeyond = holdLimits(found)
    const oldest = Math.min(...held.map((each) => each.oldest))
    return {
      period_start_time: period.start.toISOString(),
      period_end_time: period.end.toISOString(),
      profiles: usage(profileDays, plan.features.profiles),
      events: usage(eventDays, plan.features.events),
      days: dates.map((at) => ({
        date: new Date(at).toISOString().slice(0, 10),
        events: eventsOn.get(at) ?? 0,
        new_profiles: profilesOn.get(at) ?? 0,
      })),
      sources,
      deleted_workspaces: {
        events: kept.reduce((all, each) => all + each.events, deleted.events),
        profiles: kept.reduce((all, each) => all + each.profiles, deleted.profiles),
      },
      overage: billing.limits ? presentOverage(found, sum(profileDays)) : null,
      grace_hours: billing.graceHours,
      holds_from_time:
        over === null || Object.values(holdsBeyond).every((limit) => limit < 0)
          ? null
          : new Date(over.getTime() + billing.graceHours * 3_600_000).toISOString(),
      held: {
        events: held.reduce((all, each) => all + each.events, 0),
        since: row?.hold_time?.toISOString() ?? null,
        removal_time:
          held.length === 0 || billing.eventsDays === 0
            ? null
            : new Date(oldest + billing.eventsDays * dayMs).toISOString(),
        removed_events: Number(row?.removed_events ?? 0),
      },
    }
  }
