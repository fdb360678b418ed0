import type { QueryOptions } from '@tributary/storage'
import type { ControlDeps } from '../deps.ts'
import { readBlockedOwners } from './blocked-owners.ts'
import { readSuppressed } from './suppressed.ts'

/** What is looked at: events of workspaces, and what else is true of them. Values are parameters. */
export type ProfilesCounted = {
  workspaces: readonly string[]
  conditions?: readonly string[]
  params?: Record<string, unknown>
  /** What is counted by itself, as an expression over events. */
  bucket?: string
}

const own = 'workspace_id in {counted_workspaces:Array(String)}'

/** Blocked events that were sent again are stored once more, as accepted ones with the same message id. */
const firstTime = `(source_id, message_id) not in (
  select source_id, message_id from events where ${own} and status = 'blocked'
    and event_id in (select event_id from replayed_events where ${own}))`

/**
 * How many profiles there are by bucket, of those with any: distinct ones with an accepted event that is no test and no
 * replay of a blocked one, came before its user was suppressed, and is of no value that its
 * workspace blocks now. Exact, as far as the event store knows who was merged with whom: some seconds after it
 * happened.
 */
export const countProfiles = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger'>,
  { workspaces, conditions = [], params = {}, bucket = '0' }: ProfilesCounted,
  options: QueryOptions,
): Promise<(readonly [bucket: number, profiles: number])[]> => {
  const { db, eventStore } = deps
  const [suppressed, blocked] = await Promise.all([
    readSuppressed(db, workspaces),
    readBlockedOwners(deps, workspaces, options.signal),
  ])
  const all = { ...params, ...suppressed?.params, counted_workspaces: workspaces, blocked_owners: blocked }
  const replays = await eventStore.query(`select 1 from replayed_events where ${own} limit 1`, all, options)
  // Message ids are much to read: only where something was replayed.
  const where = [own, 'owner != 0', "status = 'accepted'", 'not test', ...conditions]
  if (replays.length > 0) where.push(firstTime)
  if (blocked.length > 0) where.push('owner not in {blocked_owners:Array(UInt64)}')
  if (suppressed !== undefined) where.push(`not (${suppressed.where})`)
  const rows = await eventStore.query<{ bucket: number; n: number }>(
    `select bucket, uniqExact(if(profile = 0, owner, profile)) as n
     from (select ${bucket} as bucket, owner from events where ${where.join(' and ')} group by bucket, owner) as seen
     left join (select owner, argMax(profile, version) as profile from profile_owners
       where ${own} and owner != 0 group by owner) as joined using owner
     group by bucket order by bucket`,
    all,
    options,
  )
  return rows.map(({ bucket: of, n }) => [Number(of), Number(n)])
}
