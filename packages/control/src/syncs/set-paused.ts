import { audit } from '@tributary/api-kit'
import type { methods, Sync } from '@tributary/contract'
import type { Call } from '@tributary/http'
import { nextRunTime, readSync, setSync, showSync, syncName } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Pauses or resumes the schedule of a sync. The interval of a resumed schedule starts now. */
export const setPaused = async (
  { db, clock }: Pick<ControlDeps, 'db' | 'clock'>,
  verb: 'pause' | 'resume',
  { workspace, params }: Pick<Call<typeof methods.syncs.pause>, 'actor' | 'workspace' | 'params'>,
): Promise<Sync> => {
  const row = await readSync(db, workspace.id, params.sync)
  const now = clock()
  await db.transaction().execute(async (tx) => {
    await setSync(tx, row.id, {
      paused: verb === 'pause',
      next_run_time: nextRunTime(row, now),
      next_run_from: new Date(now),
      // If the schedule ended because its predecessor was deleted, it stays ended.
      schedule_state: row.schedule_state === 'deleted' ? 'deleted' : 'on_time',
    })
    await audit(tx, syncName(workspace.id, row.id))
  })
  return await showSync(db, workspace.id, row.id)
}
