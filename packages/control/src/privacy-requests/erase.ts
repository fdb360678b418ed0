import { setTimeout } from 'node:timers/promises'
import type { Db } from '@tributary/api-kit'
import type { PrivacyPlaceName } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import type { JobRun } from '@tributary/storage'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { type ErasedPeople, erasedEventIds, markErasedEvents, removeErasedEvents } from './erased-events.ts'
import { learnTold } from './tell.ts'

export type ErasureDeps = Pick<
  ControlDeps,
  'db' | 'eventStore' | 'profileLedger' | 'tellDestinations' | 'whenStored' | 'clock'
>

/** How often, and how far apart in ms, is looked whether destinations have answered. */
const toldLooks = 10
const toldLookMs = 300

const setPlace = async (
  db: Db,
  requestId: string,
  place: PrivacyPlaceName,
  set: { state: 'running' | 'done'; last_error?: string },
  now: number,
): Promise<void> => {
  await db
    .updateTable('privacy_places')
    .set({ last_error: '', ...set, update_time: new Date(now) })
    .where('request_id', '=', requestId)
    .where('place', '=', place)
    .where('state', '<>', 'done')
    .execute()
}

/** Takes what was sent and answered out of what waits or died with one of these events, and drops what died with them alone. */
const clearParked = async (db: Db, workspaceId: string, eventIds: readonly string[]): Promise<void> => {
  await sql`delete from parked_deliveries where workspace_id = ${workspaceId}::uuid and state = 'dead'
    and event_ids <@ ${eventIds}::text[]`.execute(db)
  await sql`update parked_deliveries set request = '', response = '', last_reason = ''
    where workspace_id = ${workspaceId}::uuid and event_ids && ${eventIds}::text[]`.execute(db)
}

/** Takes the samples of refused requests away that name somebody. */
const clearRefused = async (db: Db, workspaceId: string, values: readonly string[]): Promise<void> => {
  await sql`update refused_requests set sample = '' where workspace_id = ${workspaceId}::uuid
    and exists (select from unnest(${values}::text[]) as named (value) where position(named.value in sample) > 0)
    `.execute(db)
}

const eraseEvents = async (
  { db, eventStore, profileLedger, whenStored }: ErasureDeps,
  people: ErasedPeople,
  signal: AbortSignal,
): Promise<void> => {
  const { workspaceId, identifiers } = people
  const mark = () => markErasedEvents(eventStore, profileLedger.ownerOf, people)
  await mark()
  // What came before the request and was not stored yet.
  await whenStored(workspaceId, signal)
  await mark()
  for await (const ids of erasedEventIds(eventStore, people, signal)) await clearParked(db, workspaceId, ids)
  await clearRefused(
    db,
    workspaceId,
    identifiers.map(({ value }) => value),
  )
  faultPoint('erasure.before-events')
  await removeErasedEvents(eventStore, people, signal)
}

/**
 * What a job of `erasureJob` does: removes the people of a request from the ledger of profiles, stored events and
 * deliveries, and then the values by which it knew them. It may be killed anywhere and is done again from the start.
 * Logs go by age, which `finishPrivacyRequests` looks after.
 */
export const createErasure = (deps: ErasureDeps) => {
  const { db, profileLedger, clock } = deps
  return async ({ request: id }: { request: string }, { signal }: Pick<JobRun, 'signal'>): Promise<void> => {
    const request = await db.selectFrom('privacy_requests').selectAll().where('id', '=', id).executeTakeFirst()
    // Its workspace is gone.
    if (request === undefined) return
    const identifiers = await db
      .selectFrom('privacy_identifiers')
      .select(['type', 'value'])
      .where('request_id', '=', id)
      .execute()
    const workspaceId = request.workspace_id
    const inPlaces = async (places: readonly PrivacyPlaceName[], work: () => Promise<void>): Promise<void> => {
      for (const place of places) await setPlace(db, id, place, { state: 'running' }, clock())
      try {
        await work()
      } catch (error) {
        const last_error = (error instanceof Error ? error.message : String(error)).slice(0, 500)
        for (const place of places) await setPlace(db, id, place, { state: 'running', last_error }, clock())
        throw error
      }
      for (const place of places) await setPlace(db, id, place, { state: 'done' }, clock())
    }
    if (identifiers.length > 0) {
      // First: what fails there can be looked at while the rest is under way.
      await deps.tellDestinations(id)
      const people = { workspaceId, requestId: id, identifiers, until: request.create_time }
      await inPlaces(['profiles'], () =>
        profileLedger.forgetValues(workspaceId, { identifiers, sequence: Number(request.sequence) }),
      )
      await inPlaces(['events', 'deliveries'], () => eraseEvents(deps, people, signal))
    }
    await db.deleteFrom('privacy_identifiers').where('request_id', '=', id).execute()
    await deps.eventStore.command('delete from erased_events where request_id = {request:String}', { request: id })
    // Most have answered by now; `finishPrivacyRequests` hears of the others.
    for (let looks = 0; looks < toldLooks && !(await learnTold(deps, { id, workspaceId })); looks++)
      await setTimeout(toldLookMs, undefined, { signal })
  }
}

/** Ends the requests of which nothing is left anywhere: to be called every now and then. */
export const finishPrivacyRequests = async ({
  db,
  eventStore,
  oldestLogged,
  clock,
}: Pick<ControlDeps, 'db' | 'eventStore' | 'oldestLogged' | 'clock'>): Promise<void> => {
  await sql`delete from privacy_tellings t using destinations d
    where d.id = t.destination_id and d.delete_time is not null and t.state <> 'done'`.execute(db)
  const telling = await db
    .selectFrom('privacy_tellings')
    .innerJoin('privacy_requests', 'privacy_requests.id', 'privacy_tellings.request_id')
    .select(['privacy_requests.id', 'privacy_requests.workspace_id'])
    .where('privacy_tellings.state', '<>', 'done')
    .distinct()
    .execute()
  for (const { id, workspace_id } of telling) await learnTold({ db, eventStore }, { id, workspaceId: workspace_id })
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
      if (oldest > create_time.getTime()) await setPlace(db, id, 'logs', { state: 'done' }, clock())
  }
  await sql`
    update privacy_requests r set finish_time = ${new Date(clock())}
    where r.finish_time is null
      and not exists (select from privacy_places p where p.request_id = r.id and p.state <> 'done')
      and not exists (select from privacy_tellings t where t.request_id = r.id and t.state <> 'done')`.execute(db)
}
