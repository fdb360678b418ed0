import type { QueryOptions } from '@tributary/storage'
import type { CountServices } from '../services.ts'
import { readBlockedOwners } from './blocked-owners.ts'
import { readSuppressed } from './suppressed.ts'

/** The events to count: events of these workspaces that meet all conditions. Values are passed as parameters. */
export type ProfilesCounted = {
  workspaces: readonly string[]
  conditions?: readonly string[]
  params?: Record<string, unknown>
  /** The bucket of an event for counting profiles, as a SQL expression over events. */
  bucket?: string
}

const own = 'workspace_id in {counted_workspaces:Array(String)}'

/**
 * Blocked and held events that are sent again are stored a second time, as accepted events with the same message ID.
 */
const firstTime = `(source_id, message_id) not in (
  select source_id, message_id from events where ${own} and status in ('blocked', 'held')
    and event_id in (select event_id from replayed_events where ${own}))`

type CountDeps = Pick<CountServices, 'db' | 'eventStore' | 'profileLedger'>

/** Returns the condition for events that count: non-test events that were accepted for the first time. */
const firstAccepted = async (
  { eventStore }: Pick<CountDeps, 'eventStore'>,
  { workspaces, conditions = [], params = {} }: ProfilesCounted,
  options: QueryOptions,
): Promise<{ where: string[]; params: Record<string, unknown> }> => {
  const all = { ...params, counted_workspaces: workspaces }
  const replays = await eventStore.query(`select 1 from replayed_events where ${own} limit 1`, all, options)
  const where = [own, "status = 'accepted'", 'not test', ...conditions]
  // Message IDs are expensive to read, so this is only for workspaces with replays.
  if (replays.length > 0) where.push(firstTime)
  return { where, params: all }
}

/**
 * Counts the profiles of the counted events. `count` returns the query for `seen`, a subquery with a profile (`who`)
 * and a `bucket` in each row.
 */
const countSeen = async (
  deps: CountDeps,
  counted: ProfilesCounted,
  options: QueryOptions,
  count: (seen: string) => string,
): Promise<(readonly [bucket: string, profiles: number])[]> => {
  const { db, eventStore } = deps
  const [suppressed, blocked] = await Promise.all([
    readSuppressed(db, counted.workspaces),
    readBlockedOwners(deps, counted.workspaces, options.signal),
  ])
  const first = await firstAccepted(deps, counted, options)
  const where = ['owner != 0', ...first.where]
  if (blocked.length > 0) where.push('owner not in {blocked_owners:Array(UInt64)}')
  if (suppressed !== undefined) where.push(`not (${suppressed.where})`)
  const rows = await eventStore.query<{ bucket: number | string; n: number }>(
    count(`(select bucket, if(profile = 0, owner, profile) as who
     from (select ${counted.bucket ?? '0'} as bucket, owner from events where ${where.join(' and ')} group by bucket, owner) as seen
     left join (select owner, argMax(profile, version) as profile from profile_owners
       where ${own} and owner != 0 group by owner) as joined using owner)`),
    { ...first.params, ...suppressed?.params, blocked_owners: blocked },
    options,
  )
  return rows.map(({ bucket, n }) => [String(bucket), Number(n)])
}

/** Counts the profiles per bucket like `countProfiles`, for buckets of any type. */
export const countProfilesBy = (
  deps: CountDeps,
  counted: ProfilesCounted & { bucket: string },
  options: QueryOptions,
): Promise<(readonly [bucket: string, profiles: number])[]> =>
  countSeen(
    deps,
    counted,
    options,
    (seen) => `select bucket, uniqExact(who) as n from ${seen} group by bucket order by bucket`,
  )

/**
 * Counts the distinct profiles per bucket, without empty buckets. An event counts if it is an accepted non-test event,
 * was received before its user was suppressed, and has no value that its workspace blocks now. Replays of blocked or
 * held events do not count. The number is exact, except for merges of the last seconds, which reach the event store
 * later.
 */
export const countProfiles = async (
  deps: CountDeps,
  counted: ProfilesCounted,
  options: QueryOptions,
): Promise<(readonly [bucket: number, profiles: number])[]> => {
  const rows = await countProfilesBy(deps, { bucket: '0', ...counted }, options)
  return rows.map(([bucket, profiles]) => [Number(bucket), profiles])
}

/** Counts each profile once, in the lowest bucket that has an event of it. The sum is the number of all profiles. */
export const countNewProfiles = (
  deps: CountDeps,
  counted: ProfilesCounted & { bucket: string },
  options: QueryOptions,
): Promise<(readonly [bucket: string, profiles: number])[]> =>
  countSeen(
    deps,
    counted,
    options,
    (seen) =>
      `select bucket, count() as n from (select who, min(bucket) as bucket from ${seen} group by who) group by bucket`,
  )

/** Counts the non-test events per bucket that were accepted for the first time. */
export const countFirstEvents = async (
  deps: Pick<CountDeps, 'eventStore'>,
  counted: ProfilesCounted,
  options: QueryOptions,
): Promise<(readonly [bucket: string, events: number])[]> => {
  const { where, params } = await firstAccepted(deps, counted, options)
  const rows = await deps.eventStore.query<{ bucket: number | string; n: number }>(
    `select ${counted.bucket ?? '0'} as bucket, count() as n from events where ${where.join(' and ')} group by bucket`,
    params,
    options,
  )
  return rows.map(({ bucket, n }) => [String(bucket), Number(n)])
}
