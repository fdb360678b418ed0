import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { cancelDryRun, dryRunJob, dryRunName, presentDryRun, readDryRun } from '@tributary/syncs'
import type { ControlDeps } from '../../deps.ts'

/** Cancels a dry run. Its data is removed within seconds. */
export const cancelSyncDryRun =
  ({ db, jobs, clock }: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.syncDryRuns.cancel> =>
  async ({ workspace, params }) => {
    const { id } = await readDryRun(db, workspace.id, params.dry_run)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      await cancelDryRun(tx, id, time)
      await jobs.cancel(tx, dryRunJob, id)
      await audit(tx, dryRunName(workspace.id, id))
    })
    return presentDryRun(await readDryRun(db, workspace.id, id))
  }
