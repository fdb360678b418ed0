import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { beginRun } from './begin-run.ts'
import { presentRun, readSync, readSyncRun, syncName } from './read.ts'

/** What is said while a run has not ended. */
export const running = () => conflict('SYNC_RUNNING', 'A run of this sync has not ended yet')

/** Begins a run; refused with 409 while one has not ended. */
export const runSyncNow =
  ({ db, jobs, clock }: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.syncs.run> =>
  async ({ actor, workspace, params, body: { resync } }) => {
    const { id } = await readSync(db, workspace.id, params.sync)
    const time = new Date(clock())
    const run = await db.transaction().execute(async (tx) => {
      const begun = await beginRun(tx, jobs, id, { trigger: 'manual', resync, time })
      if (begun === undefined) throw running()
      await audit(tx, {
        actor,
        action: 'syncs.run',
        resource: syncName(workspace.id, id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { resync },
        time,
      })
      return begun
    })
    return presentRun(await readSyncRun(db, workspace.id, { sync: id, run }))
  }
