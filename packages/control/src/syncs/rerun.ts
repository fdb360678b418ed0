import { audit } from '@tributary/api-kit'
import { endedSyncRuns, type methods, resourceNames, syncLimits } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import { beginRun, countsOf, presentRun, readSync, readSyncRun } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { runUnderWay } from './run-now.ts'

/**
 * Starts a run with the rows that were rejected in an earlier run, with their latest values. Throws 409 while a run of
 * the sync has not ended. Also throws 409 if the earlier run has no rejected rows, or its rows will be removed too
 * soon.
 */
export const rerunSync =
  ({ db, jobs, clock }: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.syncRuns.rerun> =>
  async ({ workspace, params }) => {
    const run = await readSyncRun(db, workspace.id, params)
    const time = new Date(clock())
    const begun = await db.transaction().execute(async (tx) => {
      const sync = await readSync(tx, workspace.id, run.sync_id)
      const counts = countsOf(run)
      const rejected = (counts?.rejected ?? 0) + (counts?.removals_rejected ?? 0)
      const isKept = run.number > sync.run_number + 1 - syncLimits.runs
      if (!endedSyncRuns.includes(run.state) || rejected === 0 || !isKept)
        throw conflict('SYNC_RUN_STATE', 'This run has no rejected rows that can be sent again')
      const id = await beginRun(tx, jobs, run.sync_id, { trigger: 'manual', resync: false, rerunOf: run.id, time })
      if (id === undefined) throw await runUnderWay(tx, run.sync_id)
      await audit(tx, resourceNames.syncRun.format({ workspace: workspace.id, sync: run.sync_id, run: run.id }), {
        run: resourceNames.syncRun.format({ workspace: workspace.id, sync: run.sync_id, run: id }),
      })
      return id
    })
    return presentRun(await readSyncRun(db, workspace.id, { sync: run.sync_id, run: begun }))
  }
