import type { QueryOptions } from '@tributary/storage'
import type { CountServices } from '../services.ts'
import { readBlockedOwners } from './blocked-owners.ts'
import { readSuppressed } from './suppressed.ts'

/** The events to count: those of workspaces that meet all conditions. Values are parameters. */
export type ProfilesCounted = {
  workspaces: readonly string[]
  conditions?: readonly string[]
  params?: Record<string, unknown>
  /** The bucket that profiles are counted by, as an expression over events. */
  bucket?: string
}

const own = 'workspace_id in {counted_workspaces:Array(String)}'

/** Blocked and held events that were sent again are stored once more, as accepted ones with the same message id. */
const firstTime = `(source_id, message_id) not in (
  select source_id, message_id from events where ${own} and status in ('blocked', 'held')
    and event_id in (select event_id from replayed_events where ${own}))`

type CountDeps = Pick<CountServices, 'db' | 'eventStore' | 'profileLedger'>

/** The condition of events that count: accepted for the first time, and no tests. */
const firstAccepted = async (
  { eventStore }: Pick<CountDeps, 'eventStore'>,
  { workspaces, conditions = [], params = {} }: ProfilesCounted,
  options: QueryOptions,
): Promise<{ where: string[]; params: Record<string, unknown> }> => {
  const all = { ...params, counted_workspaces: workspaces }
  const replays = await eventStore.query(`select 1 from replayed_events where ${own} limit 1`, all, options)
  const where = [own, "status = 'accepted'", 'not test', ...conditions]
  // Message ids are much to read: only where something was replayed.
  if (replays.length > 0) where.push(firstTime)
  return { where, params: all }
}

/** Counts profiles of events by `select`, an expression over `who`, the profile, and `bucket`. */
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

/** How many profiles there are by bucket, as `countProfiles` counts them, whatever the bucket is. */
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
 * How many profiles each bucket has, without empty buckets. It counts distinct profiles with an accepted event that is no test, and no replay
 * of a blocked or held one. The event came before its user was suppressed, and has no value that its workspace blocks now. The
 * number is exact, except for merges of the last seconds, which reach the event store later.
 */
export const countProfiles = async (
  deps: CountDeps,
  counted: ProfilesCounted,
  options: QueryOptions,
): Promise<(readonly [bucket: number, profiles: number])[]> => {
  const rows = await countProfilesBy(deps, { bucket: '0', ...counted }, options)
  return rows.map(([bucket, profiles]) => [Number(bucket), profiles])
}

/** The same profiles, each in the least bucket that it has an event in: they add up to all of them. */
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

/** How many events there are by bucket: accepted for the first time, and no tests. */
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
