import { newId } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { writeRequest } from './create.ts'
import { erasureJob } from './erasure-job.ts'

type Deps = Pick<ControlDeps, 'db' | 'jobs' | 'profileLedger' | 'forgottenHashes' | 'logRetentionMs' | 'logger'>

/** Nobody: the product itself asks. */
const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Applies deletions and suppressions again that the database has lost, since it was restored from an earlier time: what it
 * knows of those users is deleted by a request of the product's own. For every start, before anybody is answered.
 */
export const reapplyForgotten = async (deps: Deps): Promise<void> => {
  const { db, jobs, profileLedger, forgottenHashes, logger } = deps
  for (const missing of await forgottenHashes.missing()) {
    const { workspaceId, hashes } = missing
    // First, so that what is learned meanwhile is not theirs.
    if (!(await db.transaction().execute((tx) => profileLedger.restoreHashes(tx, missing)))) continue
    const deleted = hashes.filter(({ d }) => d !== null)
    const identifiers = await profileLedger.identifiersWithHashes(missing, new Set(deleted.map(({ h }) => h)))
    logger.warn({ workspaceId, hashes: hashes.length, found: identifiers.length }, 'deletions are applied again')
    if (identifiers.length === 0) continue
    const id = newId()
    // What came later is of users who came back.
    const time = new Date(deleted.reduce((latest, { d }) => Math.max(latest, d ?? 0), 0))
    await db.transaction().execute(async (tx) => {
      const forgotten = await profileLedger.forget(tx, workspaceId, {
        requestId: id,
        identifiers,
        erases: true,
        suppresses: false,
        actorId: nobody,
        time,
      })
      if (forgotten === undefined) return
      const named = identifiers.length
      const request = { id, workspaceId, kind: 'delete', actorId: nobody, named, destinations: [] } as const
      await writeRequest(tx, { ...request, time, logMs: deps.logRetentionMs }, forgotten)
      await jobs.send(tx, erasureJob, { request: id }, { id })
    })
  }
  await forgottenHashes.keepAll()
}
