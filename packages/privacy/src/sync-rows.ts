import {
  clearErasedMarks,
  type Db,
  deliveryChanges,
  erasedEventIds,
  idList,
  makeChanges,
  markErasedRows,
} from '@tributary/api-kit'
import { endedSyncRuns, sentSyncRuns, syncLimits } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import { type EventStore, eraseParked } from '@tributary/storage'
import { held, syncRowMarks, syncRowRemovals } from '@tributary/syncs'
import { sql } from 'kysely'

type Deps = { db: Db; eventStore: EventStore }

/** A sync that may have rows of the people of a request, and the keys of these rows. */
type Open = {
  request_id: string
  sync_id: string
  workspace_id: string
  keys: string[]
  /** The profiles of the people, and the profiles that were merged into them. */
  profiles: string[]
  /** IDs of the runs of the sync whose rows are still stored. */
  runs: string[]
  /** The last run that began after the request and sent its changes; null if there is none. */
  seen_run: string | null
  mirrors: boolean
  run_number: number
  swept_run: number | null
}

/** Maximum syncs whose rows are removed together. */
const together = 100

/**
 * Reads the keys whose rows must be removed from syncs without a current run. Leaves out requests whose events are not
 * removed yet.
 */
const readOpen = async (db: Db): Promise<Open[]> => {
  const { rows } = await sql<Open>`
    select o.request_id, o.sync_id, r.workspace_id, o.keys, s.mode = 'FULL_SYNC' as mirrors, s.run_number, o.swept_run,
      array(
        with recursive gone as (
          select profile_id as id from identity_operations where workspace_id = r.workspace_id and kind = 'erase'
            and sequence > r.sequence - r.profiles and sequence <= r.sequence
          union
          select i.other_id from gone join identity_operations i
            on i.workspace_id = r.workspace_id and i.profile_id = gone.id and i.kind = 'merge'
        )
        select id::text from gone where id is not null) as profiles,
      array(select id::text from sync_runs where sync_id = s.id and number > s.run_number - ${syncLimits.runs}) as runs,
      (select id::text from sync_runs where sync_id = s.id and state = any(${[...sentSyncRuns]}::text[])
        and start_time > r.create_time order by number desc limit 1) as seen_run
    from privacy_syncs o join privacy_requests r on r.id = o.request_id join syncs s on s.id = o.sync_id
    where not exists (select from privacy_places p where p.request_id = r.id and p.place = 'events' and p.state <> 'done')
      and not exists (select from sync_runs u where u.sync_id = s.id and u.state <> all(${[...endedSyncRuns]}::text[]))
    order by o.swept_run nulls first, r.create_time, o.sync_id limit ${together}`.execute(db)
  return rows
}

/**
 * Finds the keys with confirmed rows in a mirroring sync, which the destination still has (`staying`). The field `open`
 * is true if the next run still removes one of these keys at the destination. Keys that the run `seen_run` read are not
 * removed, because they now belong to other users.
 */
const keysThere = async (
  eventStore: EventStore,
  { sync_id, workspace_id, keys, seen_run, mirrors }: Open,
): Promise<{ staying: string[]; open: boolean }> => {
  if (!mirrors) return { staying: [], open: false }
  const rows = await eventStore.query<{ key: string; taken: boolean }>(
    `select key, key in (select key from sync_staged where run_id = {seen:String} and key in {keys:Array(String)}) as taken
     from sync_confirmed where sync_id = {sync:String} and key in {keys:Array(String)}
     group by key having argMax(held, version) = ${held.confirmed}`,
    { sync: sync_id, keys, seen: seen_run ?? '' },
    { owner: workspace_id },
  )
  return { staying: rows.map(({ key }) => key), open: rows.some(({ taken }) => !taken) }
}

/** Finds the keys that stored runs have for the people of a request, and stores them with the request. */
const learnKeys = async (db: Db, eventStore: EventStore, open: Open): Promise<Open> => {
  const { request_id, sync_id, workspace_id, runs, profiles } = open
  const found = await eventStore.query<{ key: string }>(
    `select distinct key from (
       select key, source_key from sync_staged where run_id in {runs:Array(String)}
       union all select key, source_key from sync_changes where run_id in {runs:Array(String)}
     ) where key != '' and arrayExists(id -> position(source_key, id) > 0, {profiles:Array(String)})`,
    { runs, profiles },
    { owner: workspace_id, slot: 'heavy' },
  )
  const keys = [...new Set([...open.keys, ...profiles, ...found.map(({ key }) => key)])]
  await db
    .updateTable('privacy_syncs')
    .set({ keys })
    .where('request_id', '=', request_id)
    .where('sync_id', '=', sync_id)
    .execute()
  return { ...open, keys }
}

/**
 * Marks the rows of a sync that belong to the people of a request, except for confirmed rows with keys in `staying`.
 */
const mark = async (eventStore: EventStore, open: Open, staying: readonly string[]): Promise<void> => {
  const { request_id, sync_id, workspace_id, keys, profiles, runs } = open
  const params = { sync: sync_id, keys, profiles, runs }
  const markRows = (select: string, given: Record<string, unknown> = params): Promise<void> =>
    markErasedRows(eventStore, { workspaceId: workspace_id, requestId: request_id }, select, given)
  const theirs = `run_id in {runs:Array(String)} and (key in {keys:Array(String)} or source_key in {keys:Array(String)}
    or arrayExists(id -> position(source_key, id) > 0, {profiles:Array(String)}))`
  await markRows(`${syncRowMarks.staged} from sync_staged where ${theirs}`)
  await markRows(`${syncRowMarks.planned} from sync_changes where ${theirs}`)
  await markRows(
    `${syncRowMarks.confirmed} from sync_confirmed where sync_id = {sync:String} and key in {keys:Array(String)}
       and key not in {staying:Array(String)}`,
    { ...params, staying },
  )
  await markRows(
    `event_id from deliveries where workspace_id = {workspace:String} and producer = 'sync'
       and source_id = {sync:String} and key in {keys:Array(String)} group by event_id`,
  )
}

const changesOf = (some: readonly Open[]): string[] => {
  const requests = idList(some.map(({ request_id }) => request_id))
  return [
    ...deliveryChanges(some.map((open) => ({ workspaceId: open.workspace_id, requestId: open.request_id }))),
    ...syncRowRemovals({
      runs: idList(some.flatMap((open) => open.runs)),
      syncs: idList(some.map(({ sync_id }) => sync_id)),
      marked: `(select event_id from erased_events where request_id in (${requests}))`,
    }),
  ]
}

/**
 * Removes the rows of deleted people from syncs of the workspace's profiles: read, planned, answered and confirmed
 * rows, and their deliveries. Handles all requests together, with the same mutations of the event store. Syncs with a
 * current run are left to a later call. In a mirroring sync, a confirmed row stays while the destination still has the
 * row. The call may be killed at any point and repeated. Sends no query to the event store while no request waits.
 */
export const eraseSyncRows = async ({ db, eventStore }: Deps, signal: AbortSignal): Promise<void> => {
  const waiting: { open: Open; staying: readonly string[]; isOpen: boolean }[] = []
  for (const found of await readOpen(db)) {
    // No run has begun since the last call, and the next run still removes some of the keys at the destination.
    if (found.swept_run === found.run_number && (await keysThere(eventStore, found)).open) continue
    const open = await learnKeys(db, eventStore, found)
    const there = await keysThere(eventStore, open)
    waiting.push({ open, staying: there.staying, isOpen: there.open })
  }
  const [first] = waiting
  if (first === undefined) return
  for (const { open, staying } of waiting) await mark(eventStore, open, staying)
  const opens = waiting.map(({ open }) => open)
  faultPoint('erasure.before-sync-rows')
  for (const open of opens) {
    const people = { workspaceId: open.workspace_id, requestId: open.request_id }
    for await (const ids of erasedEventIds(eventStore, people, signal)) await eraseParked(db, open.workspace_id, ids)
  }
  await makeChanges(eventStore, changesOf(opens), first.open.request_id, signal)
  faultPoint('erasure.after-sync-rows')
  for (const { open, isOpen } of waiting) {
    const own = { request_id: open.request_id, sync_id: open.sync_id }
    if (isOpen)
      await sql`update privacy_syncs set swept_run = ${open.run_number}
        where request_id = ${own.request_id}::uuid and sync_id = ${own.sync_id}::uuid`.execute(db)
    else
      await sql`delete from privacy_syncs
        where request_id = ${own.request_id}::uuid and sync_id = ${own.sync_id}::uuid`.execute(db)
  }
  await clearErasedMarks(eventStore, [...new Set(opens.map(({ request_id }) => request_id))])
}
