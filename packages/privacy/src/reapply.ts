import {
  type ErasedPeople,
  type ForgottenPeople,
  type MissingHashes,
  markErasedEvents,
  type Tx,
} from '@tributary/api-kit'
import { faultPoint, newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { writeRequest } from './create.ts'
import { erasureJob } from './erasure-job.ts'
import type { PrivacyServices } from './services.ts'
import { readSyncKeys } from './sync-keys.ts'

type Deps = Pick<
  PrivacyServices,
  'db' | 'eventStore' | 'jobs' | 'profileLedger' | 'forgottenHashes' | 'logRetentionMs' | 'clock' | 'logger'
>

/** The author of requests that the product itself makes. */
const nobody = '00000000-0000-0000-0000-000000000000'

type Deleted = MissingHashes['hashes'][number] & { d: number }

/**
 * Returns the users whose last deletion the restored database lacks. All other missing changes of hashes are
 * suppressions, or the end of a suppression.
 */
const deletedSince = async (tx: Tx, { workspaceId, hashes }: MissingHashes): Promise<Deleted[]> => {
  const { rows } = await sql<{ hash: string; delete_time: Date }>`
    select hash, delete_time from privacy_hashes
    where workspace_id = ${workspaceId}::uuid and delete_time is not null`.execute(tx)
  const times = new Map(rows.map(({ hash, delete_time }) => [hash, delete_time.getTime()]))
  return hashes.filter((each): each is Deleted => each.d !== null && each.d > (times.get(each.h) ?? 0))
}

/**
 * Applies the lost requests of one workspace in one transaction. After a kill, the next start applies all of them
 * again. Makes one request for each time of deletion, because events after a deletion belong to a user who came back.
 * Resolves to the people whose events must be hidden.
 */
const reapply = (deps: Deps, missing: MissingHashes): Promise<ErasedPeople[]> =>
  deps.db.transaction().execute(async (tx) => {
    const { profileLedger, jobs, logger } = deps
    const { workspaceId, hashes } = missing
    const deleted = await deletedSince(tx, missing)
    // The hashes are restored first, so that identifiers that arrive from now on do not belong to the deleted users.
    const known = await profileLedger.restoreHashes(tx, missing)
    if (known === undefined) return []
    logger.warn({ workspaceId, hashes: hashes.length, found: known.length }, 'deletions are applied again')
    const erased: ErasedPeople[] = []
    for (const [time, some] of Map.groupBy(deleted, ({ d }) => d)) {
      const id = newId()
      const until = new Date(time)
      const own = new Set(some.map(({ h }) => h))
      const identifiers = known.filter(({ hash }) => own.has(hash)).map(({ type, value }) => ({ type, value }))
      const asked = { requestId: id, identifiers, erases: true, suppresses: false, actorId: nobody, time: until }
      const none: ForgottenPeople = { identifiers: [], profiles: 0, sequence: 0 }
      const synced = identifiers.length === 0 ? [] : await readSyncKeys(tx, deps, workspaceId, identifiers)
      const forgotten = identifiers.length === 0 ? none : await profileLedger.forget(tx, workspaceId, asked)
      if (forgotten === undefined) continue
      const request = {
        id,
        workspaceId,
        kind: 'delete',
        actorId: nobody,
        named: some.length,
        destinations: [],
      } as const
      await writeRequest(tx, { ...request, time: until, logMs: deps.logRetentionMs }, forgotten, synced)
      const owners = [...new Set(some.flatMap(({ o }) => o ?? []))]
      await sql`insert into privacy_owners (request_id, owner)
        select ${id}::uuid, unnest(${owners}::numeric[])`.execute(tx)
      await jobs.send(tx, erasureJob, { request: id }, { id })
      faultPoint('erasure.while-reapplying')
      erased.push({ workspaceId, requestId: id, identifiers: forgotten.identifiers, owners, until })
    }
    return erased
  })

/**
 * Repeats deletions and suppressions that the database lacks because it was restored from an earlier state. A deletion
 * is repeated by a new privacy request of the product itself, which also removes the stored events of users without a
 * profile. Call this function at every start, before the first query is answered.
 */
export const reapplyForgotten = async (deps: Deps): Promise<void> => {
  const { eventStore, profileLedger, forgottenHashes, logger } = deps
  for (const missing of await forgottenHashes.missing())
    for (const people of await reapply(deps, missing))
      try {
        await markErasedEvents(eventStore, profileLedger.ownerOf, people)
      } catch (error) {
        // The job of the request hides the events later.
        logger.warn({ error: String(error) }, 'events of deleted people are not hidden yet')
      }
  await forgottenHashes.keepAll()
}
