import { audit, type Db, type Tx } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type AppError, conflict } from '@tributary/kernel'
import { activeRun, beginRun, presentRun, readSync, readSyncRun, type SyncRow, syncName } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/**
 * Returns the error for a sync with a run that has not ended. It contains the ID of the run if the run is still active.
 */
export const runUnderWay = async (tx: Tx, sync: string): Promise<AppError> => {
  const run = await activeRun(tx, sync)
  const text = 'A run of this sync has not ended yet'
  return conflict('SYNC_RUNNING', text, run === undefined ? {} : { run: run.id })
}

/** The error for resending all rows of a sync whose rows become events. */
export const cannotResyncEvents = () =>
  conflict('SYNC_OF_EVENTS', 'Rows that became events are not sent again. Changed rows go with the next run')

/**
 * Reads a sync of this workspace that is about to run. Throws 404 if it does not exist, and 409 if all rows of a sync
 * of events should be sent again.
 */
export const readSyncToRun = async (
  db: Db,
  workspaceId: string,
  sync: string,
  { resync }: { resync: boolean },
): Promise<SyncRow> => {
  const row = await readSync(db, workspaceId, sync)
  if (resync && row.source_id !== null) throw cannotResyncEvents()
  return row
}

/** Starts a run. Throws 409 while another run of the sync has not ended. */
export const runSyncNow =
  ({ db, jobs, clock }: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.syncs.run> =>
  async ({ workspace, params, body: { resync } }) => {
    const { id } = await readSyncToRun(db, workspace.id, params.sync, { resync })
    const time = new Date(clock())
    const run = await db.transaction().execute(async (tx) => {
      const begun = await beginRun(tx, jobs, id, { trigger: 'manual', resync, time })
      if (begun === undefined) throw await runUnderWay(tx, id)
      await audit(tx, syncName(workspace.id, id), { resync })
      return begun
    })
    return presentRun(await readSyncRun(db, workspace.id, { sync: id, run }))
  }
