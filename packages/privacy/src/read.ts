import { type Db, isId } from '@tributary/api-kit'
import { type PrivacyRequest, privacyPlaces, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { PrivacyPlacesTable, PrivacyRequestsTable } from '@tributary/storage'
import { type Selectable, sql } from 'kysely'
import { readFileRound, roundMs } from './remove-from-files.ts'
import type { PrivacyServices } from './services.ts'

type RequestRow = Selectable<PrivacyRequestsTable>

const presentPlaces = (rows: readonly Selectable<PrivacyPlacesTable>[]): PrivacyRequest['places'] =>
  privacyPlaces.flatMap((place) => {
    const row = rows.find((each) => each.place === place)
    if (row === undefined) return []
    const { state, until, last_error, update_time } = row
    return [
      {
        place,
        state,
        until_time: until?.toISOString() ?? null,
        last_error,
        update_time: update_time.toISOString(),
      },
    ]
  })

type TellingRow = { request_id: string; id: string; title: string; state: string; people: string; reason: string }

/** Reads the states of the deletions that were sent to destinations, by request. */
const readDeletions = async (db: Db, requestIds: readonly string[]): Promise<Map<string, TellingRow[]>> => {
  const { rows } = await sql<TellingRow>`
    select t.request_id, d.id, d.title, t.state, count(*) as people, max(t.reason) as reason
    from privacy_tellings t join destinations d on d.id = t.destination_id
    where t.request_id = any(${requestIds}::uuid[]) group by 1, 2, 3, 4 order by d.title, d.id`.execute(db)
  return Map.groupBy(rows, ({ request_id }) => request_id)
}

const presentTellings = (workspaceId: string, rows: readonly TellingRow[]): PrivacyRequest['destinations'] =>
  [...Map.groupBy(rows, ({ id }) => id)].map(([id, some]) => {
    const people = (state?: string): number =>
      some.reduce((sum, row) => (state === undefined || row.state === state ? sum + Number(row.people) : sum), 0)
    return {
      destination: resourceNames.destination.format({ workspace: workspaceId, destination: id }),
      title: some[0]?.title ?? '',
      state:
        (['failed', 'not_told'] as const).find((state) => people(state) > 0) ??
        (people('done') === people() ? 'done' : 'waiting'),
      told: people('done'),
      total: people(),
      reason: some.find(({ reason }) => reason !== '')?.reason ?? '',
    }
  })

type PresentDeps = Pick<PrivacyServices, 'db' | 'rewriteFiles'>

/**
 * Returns the progress of rewriting the database files; null if the database is not embedded, or the request is a
 * suppression.
 */
const presentFiles = (
  { files_time, files_error, files_round }: Pick<RequestRow, 'files_time' | 'files_error' | 'files_round'>,
  places: readonly Selectable<PrivacyPlacesTable>[],
  { isEmbedded, lastRound }: { isEmbedded: boolean; lastRound: Date | undefined },
): PrivacyRequest['files'] => {
  if (places.length === 0 || (files_time === null && !isEmbedded)) return null
  const pending = { finish_time: null, start_time: null, last_error: files_error }
  if (files_time !== null) return { ...pending, state: 'done', finish_time: files_time.toISOString(), last_error: '' }
  if (places.some(({ place, state }) => place !== 'logs' && state !== 'done')) return { ...pending, state: 'waiting' }
  if (files_round !== null || lastRound === undefined) return { ...pending, state: 'removing' }
  return { ...pending, state: 'removing', start_time: new Date(lastRound.getTime() + roundMs).toISOString() }
}

/** Returns requests in the form of the API, in the order of the rows. */
export const presentPrivacyRequests = async (
  { db, rewriteFiles }: PresentDeps,
  workspaceId: string,
  rows: readonly RequestRow[],
): Promise<PrivacyRequest[]> => {
  if (rows.length === 0) return []
  const [round, places, tellings, people] = await Promise.all([
    readFileRound(db),
    db
      .selectFrom('privacy_places')
      .selectAll()
      .where(
        'request_id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute(),
    readDeletions(
      db,
      rows.map(({ id }) => id),
    ),
    db
      .selectFrom('users')
      .select(['id', 'email'])
      .where(
        'id',
        'in',
        rows.map(({ actor_id }) => actor_id),
      )
      .execute(),
  ])
  const placesOf = Map.groupBy(places, ({ request_id }) => request_id)
  const emails = new Map(people.map(({ id, email }) => [id, email]))
  return rows.map((row) => ({
    name: resourceNames.privacyRequest.format({ workspace: workspaceId, privacy_request: row.id }),
    kind: row.kind,
    state: row.finish_time === null ? 'running' : 'finished',
    identifier_count: row.identifiers,
    profile_count: row.profiles,
    places: presentPlaces(placesOf.get(row.id) ?? []),
    files: presentFiles(row, placesOf.get(row.id) ?? [], {
      isEmbedded: rewriteFiles !== undefined,
      lastRound: round?.start_time,
    }),
    destinations: presentTellings(workspaceId, tellings.get(row.id) ?? []),
    creator: emails.get(row.actor_id) ?? '',
    create_time: row.create_time.toISOString(),
    finish_time: row.finish_time?.toISOString() ?? null,
  }))
}

/** Reads a privacy request of a workspace. Throws 404 if it does not exist. */
export const readPrivacyRequest = async (
  deps: PresentDeps,
  workspaceId: string,
  id: string,
): Promise<PrivacyRequest> => {
  const row = isId(id)
    ? await deps.db
        .selectFrom('privacy_requests')
        .selectAll()
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
    : undefined
  const [request] = row === undefined ? [] : await presentPrivacyRequests(deps, workspaceId, [row])
  if (request === undefined) throw notFound('privacy request not found')
  return request
}
