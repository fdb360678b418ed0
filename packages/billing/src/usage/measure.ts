import { setTimeout as pause } from 'node:timers/promises'
import { type Announce, setSourcesHeld, type Tx } from '@tributary/api-kit'
import { newId } from '@tributary/kernel'
import { type Database, insertDroppedEvents, systemOwner } from '@tributary/storage'
import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { plansHold } from '../catalogue.ts'
import type { BillingServices } from '../services.ts'
import {
  capNews,
  holdNews,
  notifyOfUsage,
  releaseNews,
  removalNews,
  removedNews,
  type UsageNews,
  warningNews,
} from './announce.ts'
import { standingOf } from './decide.ts'
import type { UsagePeriod } from './period.ts'
import {
  type HeldBySource,
  holdLimits,
  type PlanPeriod,
  type PlanUsage,
  readHeld,
  readPlan,
  readUsage,
  workspacesOf,
} from './read-usage.ts'
import { releaseJob } from './release.ts'

const minute = 60_000
const dayMs = 24 * 60 * minute
/**
 * A round reads the events received since the last round. It also reads those of this time in ms before it, because
 * events may be stored late.
 */
const overlapMs = 15 * minute
/** Time between two measurements of all organizations with events in this period, ms. */
const wholeMs = 60 * minute
const longestPeriodMs = 32 * dayMs
/** Pause between two rounds of one run, and time during which a run starts new rounds, ms. */
const pauseMs = 25_000
const runMs = 50_000
/**
 * Time after the end of holding in which events may still be stored as held, ms. The pipeline is notified a little
 * later.
 */
const lateMs = 2 * minute
/** Held events count as removed this time in ms before retention may remove them, so that each event is counted. */
const aheadMs = 2 * minute

export type MeasureDeps = Pick<
  BillingServices,
  'db' | 'eventStore' | 'profileLedger' | 'billing' | 'clock' | 'jobs' | 'live' | 'publicUrl'
>

type Row = Selectable<Database['plan_usage']>

/** The limits that apply if plan limits are not enforced. */
const unlimited = { profiles: -1, events: -1 }

const lockRow = async (tx: Tx, organizationId: string, period: UsagePeriod, now: Date): Promise<Row> => {
  await tx
    .insertInto('plan_usage')
    .values({
      organization_id: organizationId,
      period_start_time: period.start,
      profiles: 0,
      events: 0,
      measure_time: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return await tx
    .selectFrom('plan_usage')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

type Removal = {
  /** Held events that were received before this time count as removed. */
  removedUntil: Date
  removed: HeldBySource[]
  week: { until: Date; count: number; first: Date } | undefined
  day: { until: Date; count: number; first: Date } | undefined
}

const dayStart = (ms: number): number => Math.floor(ms / dayMs) * dayMs

/** Counts the held events that retention removes now and soon. Returns undefined if events are stored forever. */
const lookAtRemoval = async (
  deps: MeasureDeps,
  workspaces: readonly string[],
  row: Row,
  now: number,
  options: { owner: string; slot: 'heavy'; signal: AbortSignal },
): Promise<Removal | undefined> => {
  const { eventsDays } = deps.billing
  if (eventsDays === 0) return undefined
  const keptMs = eventsDays * dayMs
  const between = async (from: Date | null, until: Date): Promise<HeldBySource[]> => {
    const all = await readHeld(deps, workspaces, from, options)
    const later = await readHeld(deps, workspaces, until, options)
    const laterOf = new Map(later.map(({ sourceId, events }) => [sourceId, events]))
    return all.flatMap((each) => {
      const events = each.events - (laterOf.get(each.sourceId) ?? 0)
      return events > 0 ? [{ ...each, events }] : []
    })
  }
  const ahead = async (days: 7 | 1, announced: Date | null) => {
    // The time is rounded up to a whole day. So each removal is announced once a day, and never happens before the
    // announced time.
    const until = new Date(dayStart(now + days * dayMs - keptMs) + dayMs)
    if (announced !== null && announced >= until) return undefined
    const held = await between(announced ?? row.removed_until, until)
    const count = held.reduce((sum, { events }) => sum + events, 0)
    const first = new Date(Math.min(...held.map(({ oldest }) => oldest), until.getTime()) + keptMs)
    return { until, count, first }
  }
  const removedUntil = new Date(now - keptMs + aheadMs)
  return {
    removedUntil,
    removed: await between(row.removed_until, removedUntil),
    week: await ahead(7, row.week_announced_until),
    day: await ahead(1, row.day_announced_until),
  }
}

const removing = z.object({
  token: z.string(),
  until: z.number(),
  removed: z.array(z.object({ workspaceId: z.string(), sourceId: z.string(), events: z.number(), oldest: z.number() })),
  hour: z.number(),
})

/**
 * Records removed events as discarded, so that users can find them. First stores the count and the token of its insert.
 * So after a crash at any point, the next measurement does not count the same events twice.
 */
const noteRemoved = async (
  { db, eventStore }: MeasureDeps,
  organizationId: string,
  row: Row,
  removal: Removal,
  now: number,
): Promise<Removal> => {
  const { removed, removedUntil } = removal
  if (row.removing === null && removed.length === 0) return removal
  const hour = Math.floor(now / 3_600_000) * 3600
  const fresh = JSON.stringify({ token: newId(), until: removedUntil.getTime(), removed, hour })
  const kept = await db
    .updateTable('plan_usage')
    .set({ removing: sql`coalesce(removing, ${fresh})` })
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`removed_until is not distinct from ${row.removed_until}`)
    .returning('removing')
    .executeTakeFirst()
  // Another process has counted these events meanwhile.
  if (kept?.removing == null) return { ...removal, removed: [], removedUntil: new Date(0) }
  const noted = removing.parse(JSON.parse(kept.removing))
  const lines = noted.removed.map(({ workspaceId, sourceId, events }) =>
    JSON.stringify({
      workspace_id: workspaceId,
      source_id: sourceId,
      hour: noted.hour,
      reason: 'held_too_long',
      events,
    }),
  )
  await insertDroppedEvents(eventStore, lines.join('\n'), { token: noted.token })
  return { ...removal, removed: noted.removed, removedUntil: new Date(noted.until) }
}

const latest = (one: Date | null, other: Date): Date => (one !== null && one > other ? one : other)

type Measure = { usage: PlanUsage; held: number; removal: Removal | undefined }

/** Applies a measurement: stores the new row, and sends the notifications. */
const applyMeasure = async (
  tx: Tx,
  deps: MeasureDeps,
  organizationId: string,
  found: PlanPeriod,
  workspaces: readonly string[],
  { usage, held, removal }: Measure,
): Promise<Announce> => {
  const now = deps.clock()
  const { plan, period, overage } = found
  const row = await lockRow(tx, organizationId, period, new Date(now))
  const same = row.period_start_time.getTime() === period.start.getTime()
  const told = new Set(same ? row.told : [])
  const { graceHours, limits } = deps.billing
  const graceMs = graceHours * 60 * minute
  const free = plansHold(plan)
  const standing = standingOf(usage, limits ? plan.features : unlimited, {
    now,
    over: same ? row.over_time : null,
    graceMs,
    holdsBeyond: limits ? holdLimits(found) : unlimited,
  })
  const ended = row.hold_time !== null && !standing.holds
  const holdEnd = ended ? new Date(now) : row.hold_end_time
  const waits = !standing.holds && row.has_held
  const released = waits && held === 0 && holdEnd !== null && now >= holdEnd.getTime() + lateMs
  if (waits && held > 0) await deps.jobs.send(tx, releaseJob, { organization: organizationId }, { key: organizationId })
  await setSourcesHeld(tx, workspaces, standing.holds)
  const holdsFrom = standing.over === null ? undefined : new Date(standing.over.getTime() + graceMs)
  const news: UsageNews[] = standing.warnings.map((warning) =>
    warningNews(warning, { usage, plan, period, holdsFrom, paid: !free, overage }),
  )
  if (!free && holdsFrom !== undefined) news.push(capNews(holdsFrom))
  if (standing.holds) news.push(holdNews(period, free))
  if (released) news.push(releaseNews)
  const all = removal?.removed.reduce((sum, { events }) => sum + events, 0) ?? 0
  // Another measurement may have counted the same events.
  const counts = all === 0 || row.removing !== null
  const removed = counts ? all : 0
  const removedUntil =
    counts && removal !== undefined ? latest(row.removed_until, removal.removedUntil) : row.removed_until
  if (removal !== undefined) {
    if (removed > 0) news.push(removedNews(removed, new Date(now)))
    for (const [ahead, found] of [
      [7, removal.week],
      [1, removal.day],
    ] as const)
      if (found !== undefined && found.count > 0) news.push(removalNews(ahead, found.count, found.first))
  }
  const fresh = news.filter(({ key }) => !told.has(key))
  for (const { key } of fresh) told.add(key)
  await tx
    .updateTable('plan_usage')
    .set({
      period_start_time: period.start,
      profiles: usage.profiles,
      events: usage.events,
      over_time: standing.over,
      hold_time: standing.holds ? (row.hold_time ?? new Date(now)) : null,
      hold_end_time: holdEnd,
      has_held: standing.holds || (row.has_held && !released),
      removed_events: Number(row.removed_events) + removed,
      removed_until: removedUntil,
      removing: all > 0 ? null : row.removing,
      week_announced_until: removal?.week?.until ?? row.week_announced_until,
      day_announced_until: removal?.day?.until ?? row.day_announced_until,
      told: [...told],
      measure_time: new Date(now),
    })
    .where('organization_id', '=', organizationId)
    .execute()
  return await notifyOfUsage(tx, deps, organizationId, period, fresh)
}

/**
 * Measures the usage of an organization's plan. Warns its administrators, holds or releases its events, and announces
 * that retention will remove held events. However often it is called, each notification is sent once.
 */
export const measureOrganization = async (
  deps: MeasureDeps,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> => {
  const { db } = deps
  const options = { owner: systemOwner, slot: 'heavy', signal } as const
  const found = await readPlan(deps, organizationId)
  const workspaces = await workspacesOf(db, organizationId)
  const row = await db
    .selectFrom('plan_usage')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  const usage = await readUsage(deps, organizationId, found.period, options)
  const held = row?.has_held ? await readHeld(deps, workspaces, row.removed_until, options) : []
  const seen = row?.has_held ? await lookAtRemoval(deps, workspaces, row, deps.clock(), options) : undefined
  const removal =
    row === undefined || seen === undefined
      ? undefined
      : await noteRemoved(deps, organizationId, row, seen, deps.clock())
  const measure = { usage, held: held.reduce((sum, { events }) => sum + events, 0), removal }
  const announce = await db
    .transaction()
    .execute((tx) => applyMeasure(tx, deps, organizationId, found, workspaces, measure))
  announce(deps.live)
}

/**
 * Finds the organizations to measure if plan limits are enforced: those that received events since a time, and those
 * whose standing can change without events.
 */
const findOrganizations = async (deps: MeasureDeps, since: number, signal: AbortSignal): Promise<string[]> => {
  const { db, eventStore } = deps
  const standing = await db
    .selectFrom('plan_usage')
    .select('organization_id')
    .where((where) => where.or([where('has_held', '=', true), where('over_time', 'is not', null)]))
    .execute()
  const ids = standing.map(({ organization_id }) => organization_id)
  if (!deps.billing.limits) return ids
  const rows = await eventStore.query<{ workspace_id: string }>(
    'select distinct workspace_id from events where receive_time >= fromUnixTimestamp64Milli({since:Int64})',
    { since },
    { owner: systemOwner, slot: 'heavy', signal },
  )
  const active = await db
    .selectFrom('workspaces')
    .select('organization_id')
    .distinct()
    .where(
      'id',
      'in',
      rows
        .map(({ workspace_id }) => workspace_id)
        .filter((id) => /^[0-9a-f-]{36}$/.test(id))
        .concat(nobody),
    )
    .execute()
  return [...new Set([...ids, ...active.map(({ organization_id }) => organization_id)])]
}

const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Makes the function that runs a round. A round measures every organization whose usage may have changed since the last
 * round, and at longer intervals all with events in this period. An organization that cannot be measured does not delay
 * the others.
 */
export const createRound = (
  deps: MeasureDeps & Pick<BillingServices, 'logger'>,
): ((signal: AbortSignal) => Promise<void>) => {
  let looked = 0
  let lookedAtAll = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const now = deps.clock()
    const whole = now - lookedAtAll >= wholeMs
    const since = whole ? now - longestPeriodMs : looked - overlapMs
    for (const organization of await findOrganizations(deps, since, signal)) {
      signal.throwIfAborted()
      try {
        await measureOrganization(deps, organization, signal)
      } catch (error) {
        signal.throwIfAborted()
        deps.logger.warn(
          { err: error, organizationId: organization },
          'the usage of an organization cannot be measured',
        )
      }
    }
    looked = now
    if (whole) lookedAtAll = now
  }
}

/**
 * Makes the job that measures usage twice a minute. If plan limits are not enforced, it only releases events that were
 * held before. Usage is counted from stored events, so collection is not involved.
 */
export const createMeasure = (
  deps: MeasureDeps & Pick<BillingServices, 'logger'>,
): ((run: { signal: AbortSignal }) => Promise<void>) => {
  const round = createRound(deps)
  return async ({ signal }) => {
    const until = deps.clock() + runMs
    for (;;) {
      const begun = deps.clock()
      await round(signal)
      // After a long round, the pause is longer, so that measuring takes at most about a tenth of the time.
      const wait = Math.max(pauseMs, 10 * (deps.clock() - begun))
      if (deps.clock() + wait >= until) return
      await pause(wait, undefined, { signal })
    }
  }
}
