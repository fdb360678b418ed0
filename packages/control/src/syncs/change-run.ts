import { audit } from '@tributary/api-kit'
import { type methods, resourceNames, type SyncRun } from '@tributary/contract'
import type { Call } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import { endRun, presentRun, queueSync, readSyncRun } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

const words = { approve: 'approved', cancel: 'canceled' } as const

/** Approves or cancels a run. Throws 409 if the state of the run does not allow it. */
export const changeRun = async (
  { db, jobs, clock }: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>,
  verb: 'approve' | 'cancel',
  { actor, workspace, params }: Pick<Call<typeof methods.syncRuns.approve>, 'actor' | 'workspace' | 'params'>,
): Promise<SyncRun> => {
  const run = await readSyncRun(db, workspace.id, params)
  await db.transaction().execute(async (tx) => {
    const set = verb === 'approve' ? { approved_by: actor.userId } : {}
    const next = await endRun(tx, { jobs, clock }, run.id, verb, set)
    if (next === undefined)
      throw conflict('SYNC_RUN_STATE', `The run can't be ${words[verb]} any more, or not yet. Reload to see its state`)
    await queueSync(tx, jobs, run.sync_id)
    await audit(tx, resourceNames.syncRun.format({ workspace: workspace.id, sync: run.sync_id, run: run.id }))
  })
  return presentRun(await readSyncRun(db, workspace.id, params))
}
