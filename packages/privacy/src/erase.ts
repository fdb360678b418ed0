import { setTimeout } from 'node:timers/promises'
import {
  clearErasedMarks,
  clearRefusedSamples,
  type Db,
  type ErasedPeople,
  erasedEventIds,
  markErasedEvents,
  markErasedMembers,
  removeErasedEvents,
} from '@tributary/api-kit'
import type { PrivacyPlaceName } from '@tributary/contract'
import { cutText, faultPoint } from '@tributary/kernel'
import { eraseConversions } from '@tributary/signals'
import { eraseParked, eraseParkedProfiles, type JobRun } from '@tributary/storage'
import { sql } from 'kysely'
import { readDeletionOutcomes } from './notify-destinations.ts'
import type { PrivacyServices } from './services.ts'
import { eraseSyncRows } from './sync-rows.ts'

export type ErasureDeps = Pick<
  PrivacyServices,
  'db' | 'eventStore' | 'profileLedger' | 'notifyDestinations' | 'whenStored' | 'forgetInDeliveries' | 'clock'
> & {
  /** Maximum time to wait for destinations to respond, in ms; 3 s by default. */
  outcomesWaitMs?: number
}

/** Maximum time of one call for removing rows of syncs, in ms. Later calls remove the rest. */
const sweepMs = 5 * 60_000

/** Interval in ms at which the responses of destinations are read. */
const outcomesLookMs = 300

const setPlaces = async (
  db: Db,
  requestIds: readonly string[],
  places: readonly PrivacyPlaceName[],
  set: { state: 'running' | 'done'; last_error?: string },
  now: number,
): Promise<void> => {
  await db
    .updateTable('privacy_places')
    .set({ last_error: '', ...set, update_time: new Date(now) })
    .where('request_id', 'in', requestIds)
    .where('place', 'in', places)
    .where('state', '<>', 'done')
    .execute()
}

/**
 * Runs a task for the given places of requests, which show as running during the task. Stores the error if the task
 * fails.
 */
const inPlaces = async (
  db: Db,
  clock: () => number,
  requestIds: readonly string[],
  places: readonly PrivacyPlaceName[],
  work: () => Promise<void>,
): Promise<void> => {
  await setPlaces(db, requestIds, places, { state: 'running' }, clock())
  try {
    await work()
  } catch (error) {
    const last_error = cutText(error instanceof Error ? error.message : String(error), 500)
    await setPlaces(db, requestIds, places, { state: 'running', last_error }, clock())
    throw error
  }
}

/**
 * A request whose people must be removed: their profiles are the last `profiles` entries of the ledger up to
 * `sequence`.
 */
type Waiting = { id: string; sequence: number; profiles: number; people: ErasedPeople }

/** Reads the profiles that a request has erased, and the profiles that were merged into them. */
const readErasedProfiles = async (
  db: Db,
  { sequence, profiles, people: { workspaceId } }: Waiting,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with recursive gone as (
      select profile_id as id from identity_operations where workspace_id = ${workspaceId}::uuid and kind = 'erase'
        and sequence > ${sequence - profiles} and sequence <= ${sequence}
      union
      select o.other_id from gone join identity_operations o
        on o.workspace_id = ${workspaceId}::uuid and o.profile_id = gone.id and o.kind = 'merge'
    )
    select id from gone where id is not null`.execute(db)
  return rows.map(({ id }) => id)
}

/** Maximum number of requests whose events are removed by one mutation of the event store. */
const together = 100

type WaitingRow = { id: string; workspace_id: string; sequence: string; profiles: number; create_time: Date }

/**
 * Reads a request first, and then other requests whose events are not removed yet, oldest first. A mutation of the
 * event store rewrites its parts once, for one request or for many. Requests without stored identifiers and owners are
 * left out.
 */
const readWaiting = async (db: Db, id: string): Promise<Waiting[]> => {
  const { rows } = await sql<WaitingRow>`
    select r.id, r.workspace_id, r.sequence, r.profiles, r.create_time from privacy_requests r
    where r.id = ${id}::uuid or exists (select from privacy_places p
      where p.request_id = r.id and p.place = 'events' and p.state <> 'done')
    order by r.id <> ${id}::uuid, r.create_time limit ${together}`.execute(db)
  const waiting = await Promise.all(
    rows.map(async (row): Promise<Waiting> => {
      const [identifiers, owners] = await Promise.all([
        db.selectFrom('privacy_identifiers').select(['type', 'value']).where('request_id', '=', row.id).execute(),
        db.selectFrom('privacy_owners').select('owner').where('request_id', '=', row.id).execute(),
      ])
      const people = {
        workspaceId: row.workspace_id,
        requestId: row.id,
        identifiers,
        owners: owners.map(({ owner }) => owner),
        until: row.create_time,
      }
      return { id: row.id, sequence: Number(row.sequence), profiles: row.profiles, people }
    }),
  )
  return waiting.filter(({ people: { identifiers, owners } }) => identifiers.length > 0 || owners.length > 0)
}

/**
 * Does everything for a request except for the mutations of the event store. When it resolves, the events are marked
 * and hidden.
 */
const prepare = async (deps: ErasureDeps, request: Waiting, signal: AbortSignal): Promise<void> => {
  const { id, sequence, people } = request
  const { db, eventStore, profileLedger, whenStored, clock } = deps
  const { workspaceId, identifiers } = people
  // Destinations are notified first, so that their failures show while the rest is running.
  await deps.notifyDestinations(id, workspaceId)
  await inPlaces(db, clock, [id], ['profiles'], () =>
    profileLedger.forgetValues(workspaceId, { identifiers, sequence }),
  )
  await setPlaces(db, [id], ['profiles'], { state: 'done' }, clock())
  faultPoint('erasure.after-profiles')
  await inPlaces(db, clock, [id], ['events', 'deliveries'], async () => {
    const mark = () => markErasedEvents(eventStore, profileLedger.ownerOf, people)
    await mark()
    // Events that arrived before the request may not be stored yet.
    await whenStored(workspaceId, signal)
    await mark()
    await deps.forgetInDeliveries()
    await eraseConversions({ db, eventStore }, people)
    await markErasedMembers(eventStore, people, await readErasedProfiles(db, request))
    for await (const ids of erasedEventIds(eventStore, people, signal)) await eraseParked(db, workspaceId, ids)
    await eraseParkedProfiles(db, workspaceId)
    await clearRefusedSamples(
      db,
      workspaceId,
      identifiers.map(({ value }) => value),
    )
  })
}

/** Removes the events of prepared requests, and then the stored values of their people. */
const remove = async (deps: ErasureDeps, requests: readonly Waiting[], signal: AbortSignal): Promise<void> => {
  const { db, eventStore, clock } = deps
  const ids = requests.map(({ id }) => id)
  faultPoint('erasure.before-events')
  await inPlaces(db, clock, ids, ['events', 'deliveries'], () =>
    removeErasedEvents(
      eventStore,
      requests.map(({ people }) => people),
      signal,
    ),
  )
  // Removes dead letters of deliveries that were in flight at the deletion and failed after it.
  for (const { people } of requests) {
    for await (const eventIds of erasedEventIds(eventStore, people, signal))
      await eraseParked(db, people.workspaceId, eventIds)
    await eraseParkedProfiles(db, people.workspaceId)
  }
  await setPlaces(db, ids, ['events'], { state: 'done' }, clock())
  faultPoint('erasure.before-values')
  await db.deleteFrom('privacy_identifiers').where('request_id', 'in', ids).execute()
  await db.deleteFrom('privacy_owners').where('request_id', 'in', ids).execute()
}

/**
 * Creates the function that runs an `erasureJob`. The job removes the people of a request from the ledger of profiles,
 * stored events and deliveries. It also removes the people of other waiting requests, with the same mutations of the
 * event store. At the end it removes the values by which the requests identified people. If the process is killed at
 * any point, the job is repeated from the start. Logs expire by age, and `finishPrivacyRequests` waits for that.
 */
export const createErasure = (deps: ErasureDeps) => {
  const { db, eventStore, clock, outcomesWaitMs = 3000 } = deps
  return async ({ request: id }: { request: string }, { signal }: Pick<JobRun, 'signal'>): Promise<void> => {
    const prepared: Waiting[] = []
    let failure: { error: unknown } | undefined
    for (const request of await readWaiting(db, id))
      try {
        await prepare(deps, request, signal)
        prepared.push(request)
      } catch (error) {
        signal.throwIfAborted()
        // The other requests have their own jobs, which retry.
        if (request.id === id) failure = { error }
      }
    if (prepared.length > 0) await remove(deps, prepared, signal)
    if (failure !== undefined) throw failure.error
    faultPoint('erasure.after-values')
    const own = await db.selectFrom('privacy_requests').select('workspace_id').where('id', '=', id).executeTakeFirst()
    await clearErasedMarks(eventStore, [id, ...prepared.map((each) => each.id)])
    // The request was deleted with its workspace.
    if (own === undefined) return
    await eraseSyncRows({ db, eventStore }, signal)
    await endDeliveries(db, clock())
    // Most destinations have responded by now. `finishPrivacyRequests` reads the other responses.
    const request = { id, workspaceId: own.workspace_id }
    for (
      let waited = 0;
      !(await readDeletionOutcomes(deps, request)) && waited < outcomesWaitMs;
      waited += outcomesLookMs
    )
      await setTimeout(outcomesLookMs, undefined, { signal })
  }
}

/** Marks the deliveries of requests as done, if their events are done and no sync has rows of their people. */
const endDeliveries = async (db: Db, now: number): Promise<void> => {
  await sql`update privacy_places p set state = 'done', last_error = '', update_time = ${new Date(now)}
    where p.place = 'deliveries' and p.state <> 'done'
      and not exists (select from privacy_syncs s where s.request_id = p.request_id)
      and exists (select from privacy_places e
        where e.request_id = p.request_id and e.place = 'events' and e.state = 'done')`.execute(db)
  await sql`update privacy_places p set last_error = waiting.words from (
      select o.request_id, 'Waiting for a run of ' || string_agg(s.title, ', ' order by s.title) as words
      from privacy_syncs o join syncs s on s.id = o.sync_id group by o.request_id) as waiting
    where p.place = 'deliveries' and p.state <> 'done' and p.request_id = waiting.request_id
      and exists (select from privacy_places e
        where e.request_id = p.request_id and e.place = 'events' and e.state = 'done')`.execute(db)
}

/** Completes the requests whose data is no longer in any store or log. Call it regularly. */
export const finishPrivacyRequests = async ({
  db,
  eventStore,
  oldestLogged,
  rewriteFiles,
  clock,
}: Pick<PrivacyServices, 'db' | 'eventStore' | 'oldestLogged' | 'rewriteFiles' | 'clock'>): Promise<void> => {
  await sql`delete from privacy_tellings t using destinations d
    where d.id = t.destination_id and d.delete_time is not null and t.state not in ('done','not_told')`.execute(db)
  const telling = await db
    .selectFrom('privacy_tellings')
    .innerJoin('privacy_requests', 'privacy_requests.id', 'privacy_tellings.request_id')
    .select(['privacy_requests.id', 'privacy_requests.workspace_id'])
    .where('privacy_tellings.state', 'not in', ['done', 'not_told'])
    .distinct()
    .execute()
  for (const { id, workspace_id } of telling)
    await readDeletionOutcomes({ db, eventStore }, { id, workspaceId: workspace_id })
  const waiting = await db
    .selectFrom('privacy_places')
    .innerJoin('privacy_requests', 'privacy_requests.id', 'privacy_places.request_id')
    .select(['privacy_requests.id', 'privacy_requests.workspace_id', 'privacy_requests.create_time'])
    .where('privacy_places.place', '=', 'logs')
    .where('privacy_places.state', '<>', 'done')
    .where('privacy_places.until', '<=', new Date(clock()))
    .execute()
  for (const [workspaceId, requests] of Map.groupBy(waiting, ({ workspace_id }) => workspace_id)) {
    const oldest = await oldestLogged(workspaceId)
    for (const { id, create_time } of requests)
      if (oldest > create_time.getTime()) await setPlaces(db, [id], ['logs'], { state: 'done' }, clock())
  }
  await sql`
    update privacy_requests r set finish_time = ${new Date(clock())}
    where r.finish_time is null and (r.files_time is not null or r.kind = 'suppress' or ${rewriteFiles === undefined})
      and not exists (select from privacy_places p where p.request_id = r.id and p.state <> 'done')
      and not exists (select from privacy_tellings t where t.request_id = r.id and t.state not in ('done','not_told'))`.execute(
    db,
  )
  // Rows of syncs come last, so that a failure here delays nothing else. The next call completes the requests whose
  // last rows are removed here.
  await eraseSyncRows({ db, eventStore }, AbortSignal.timeout(sweepMs))
  await endDeliveries(db, clock())
}
