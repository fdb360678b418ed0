import { audit, type ForgottenPeople, idFor, markErasedEvents, type Tx } from '@tributary/api-kit'
import { noteFarewells } from '@tributary/audiences'
import { findDestination, readableSettings } from '@tributary/configuration'
import { type methods, type PrivacyKind, privacyPlaces, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { sql } from 'kysely'
import { erasureJob } from './erasure-job.ts'
import { readPrivacyRequest } from './read.ts'
import type { PrivacyServices } from './services.ts'
import { readSyncKeys, type SyncKeys, writeSyncKeys } from './sync-keys.ts'

const day = 24 * 3_600_000
/** How long samples of refused requests are kept, ms. */
const samplesMs = day

type NewRequest = {
  id: string
  workspaceId: string
  kind: PrivacyKind
  actorId: string
  named: number
  time: Date
  logMs: number
  destinations: readonly DeletingDestination[]
}

/**
 * A destination that can delete users. `lacks` names the settings that deletions need and that are missing. While
 * settings are missing, the destination gets no deletions.
 */
type DeletingDestination = { id: string; lacks?: string }

/** Reads the destinations of a workspace that can delete users. */
const deletingDestinations = async (
  { db, catalog, secretBox, logger }: Pick<PrivacyServices, 'db' | 'catalog' | 'secretBox' | 'logger'>,
  workspaceId: string,
): Promise<DeletingDestination[]> => {
  const rows = await db
    .selectFrom('destinations')
    .select(['id', 'app', 'settings', 'secrets_encrypted'])
    .where('workspace_id', '=', workspaceId)
    .where('delete_time', 'is', null)
    .execute()
  const deleting: DeletingDestination[] = []
  for (const [app, some] of Map.groupBy(rows, (row) => row.app)) {
    const deletes = (await (await findDestination(catalog, app))?.load())?.deletesUsers
    if (deletes === undefined) continue
    for (const row of some) {
      const lacks =
        deletes === true ? undefined : deletes(readableSettings(`destinations/${row.id}`, row, secretBox, logger))
      deleting.push(lacks === undefined ? { id: row.id } : { id: row.id, lacks })
    }
  }
  return deleting
}

/** Stores a request, with the values that its job needs. */
export const writeRequest = async (
  tx: Tx,
  request: NewRequest,
  forgotten: ForgottenPeople,
  synced: readonly SyncKeys[],
): Promise<void> => {
  const erases = request.kind !== 'suppress'
  await tx
    .insertInto('privacy_requests')
    .values({
      id: request.id,
      workspace_id: request.workspaceId,
      kind: request.kind,
      actor_id: request.actorId,
      identifiers: request.named,
      profiles: forgotten.profiles,
      sequence: forgotten.sequence,
      create_time: request.time,
      finish_time: erases ? null : request.time,
    })
    .execute()
  if (!erases) return
  await sql`insert into privacy_identifiers (request_id, type, value, person)
    select ${request.id}::uuid, type, value, person
    from json_to_recordset(${JSON.stringify(forgotten.identifiers)}::json) as row (type text, value text, person integer)
    `.execute(tx)
  await sql`insert into privacy_tellings (request_id, destination_id, person, state, reason)
    select distinct ${request.id}::uuid, told.id, person, case when lacks is null then 'waiting' else 'not_told' end,
      coalesce(lacks, '')
    from privacy_identifiers, json_to_recordset(${JSON.stringify(request.destinations)}::json) as told (id uuid, lacks text)
    where request_id = ${request.id}::uuid`.execute(tx)
  await noteFarewells(tx, request, forgotten)
  await writeSyncKeys(tx, request.id, synced)
  await tx
    .insertInto('privacy_places')
    .values(
      privacyPlaces.map((place) => ({
        request_id: request.id,
        place,
        state: 'waiting' as const,
        until: place === 'logs' ? new Date(request.time.getTime() + Math.max(request.logMs, samplesMs)) : null,
        update_time: request.time,
      })),
    )
    .execute()
}

/**
 * Creates the handler that deletes or suppresses people, or both. When the call returns, the identifiers belong to no
 * profile, and their stored events are hidden everywhere. A job then removes the data from each place.
 */
export const createPrivacyRequest =
  ({
    db,
    catalog,
    secretBox,
    eventStore,
    jobs,
    profileLedger,
    forgottenHashes,
    rewriteFiles,
    logRetentionMs,
    clock,
    logger,
  }: Pick<
    PrivacyServices,
    | 'db'
    | 'catalog'
    | 'secretBox'
    | 'eventStore'
    | 'jobs'
    | 'profileLedger'
    | 'forgottenHashes'
    | 'rewriteFiles'
    | 'logRetentionMs'
    | 'clock'
    | 'logger'
  >): Handler<typeof methods.privacyRequests.create> =>
  async ({ actor, workspace, body }) => {
    const { kind, identifiers } = body
    const id = idFor(body.request_id, 'privacyRequests', workspace.id)
    const time = new Date(clock())
    const destinations =
      kind === 'suppress' ? [] : await deletingDestinations({ db, catalog, secretBox, logger }, workspace.id)
    const forgotten = await db.transaction().execute(async (tx) => {
      // The lock serializes calls for the same request, so that a concurrent repetition gets the first result.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`privacy request ${id}`}, 0))`.execute(tx)
      const known = await tx.selectFrom('privacy_requests').select('id').where('id', '=', id).executeTakeFirst()
      if (known !== undefined) return undefined
      const synced = kind === 'suppress' ? [] : await readSyncKeys(tx, { jobs, clock }, workspace.id, identifiers)
      const result = await profileLedger.forget(tx, workspace.id, {
        requestId: id,
        identifiers,
        erases: kind !== 'suppress',
        suppresses: kind !== 'delete',
        actorId: actor.userId,
        time,
      })
      if (result === undefined) throw notFound('workspace not found')
      const named = new Set(identifiers.map(({ type, value }) => `${type}:${value}`)).size
      const request = {
        id,
        workspaceId: workspace.id,
        kind,
        actorId: actor.userId,
        named,
        time,
        logMs: logRetentionMs,
        destinations,
      }
      await writeRequest(tx, request, result, synced)
      if (kind !== 'suppress') await jobs.send(tx, erasureJob, { request: id }, { id })
      await audit(
        tx,
        resourceNames.privacyRequest.format({ workspace: workspace.id, privacy_request: id }),
        // Values are personal data, which the audit log must not contain.
        { kind, identifiers: named, profiles: result.profiles },
      )
      return result
    })
    await forgottenHashes.keep(workspace.id)
    if (forgotten !== undefined && kind !== 'suppress')
      try {
        const people = { workspaceId: workspace.id, requestId: id, ...forgotten, owners: [], until: time }
        await markErasedEvents(eventStore, profileLedger.ownerOf, people)
      } catch (error) {
        // The job of the request hides the events later.
        logger.warn({ error: String(error) }, 'events of deleted people are not hidden yet')
      }
    return await readPrivacyRequest({ db, rewriteFiles }, workspace.id, id)
  }
