import type { Tx } from '@tributary/api-kit'
import { faultPoint, newId } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import type { ForgottenPeople, MissingHashes } from '../profiles/ledger.ts'
import { writeRequest } from './create.ts'
import { type ErasedPeople, markErasedEvents } from './erased-events.ts'
import { erasureJob } from './erasure-job.ts'
import { readSyncKeys } from './sync-keys.ts'

type Deps = Pick<
  ControlDeps,
  'db' | 'eventStore' | 'jobs' | 'profileLedger' | 'forgottenHashes' | 'logRetentionMs' | 'clock' | 'logger'
>

/** Nobody: the product itself asks. */
const nobody = '00000000-0000-0000-0000-000000000000'

type Deleted = MissingHashes['hashes'][number] & { d: number }

/** Those that were deleted since: what is missing of others is that they were suppressed, or that it was lifted. */
const deletedSince = async (tx: Tx, { workspaceId, hashes }: MissingHashes): Promise<Deleted[]> => {
  const { rows } = await sql<{ hash: string; delete_time: Date }>`
    select hash, delete_time from privacy_hashes
    where workspace_id = ${workspaceId}::uuid and delete_time is not null`.execute(tx)
  const times = new Map(rows.map(({ hash, delete_time }) => [hash, delete_time.getTime()]))
  return hashes.filter((each): each is Deleted => each.d !== null && each.d > (times.get(each.h) ?? 0))
}

/**
 * Applies what the database has lost of one workspace, in one transaction: a kill leaves all of it to the next start.
 * Resolves to whose events are to be hidden. One request for each time at which somebody was deleted, since what came
 * later is of users who came back.
 */
const reapply = (deps: Deps, missing: MissingHashes): Promise<ErasedPeople[]> =>
  deps.db.transaction().execute(async (tx) => {
    const { profileLedger, jobs, logger } = deps
    const { workspaceId, hashes } = missing
    const deleted = await deletedSince(tx, missing)
    // First, so that what is learned meanwhile is not theirs.
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
 * Applies deletions and suppressions again that the database has lost, since it was restored from an earlier time: what it
 * knows of those users is deleted by requests of the product's own, and so are their stored events, whether they have a
 * profile or not. For every start, before anybody is answered.
 */
export const reapplyForgotten = async (deps: Deps): Promise<void> => {
  const { eventStore, profileLedger, forgottenHashes, logger } = deps
  for (const missing of await forgottenHashes.missing())
    for (const people of await reapply(deps, missing))
      try {
        await markErasedEvents(eventStore, profileLedger.ownerOf, people)
      } catch (error) {
        // The job does it again.
        logger.warn({ error: String(error) }, 'events of deleted people are not hidden yet')
      }
  await forgottenHashes.keepAll()
}
