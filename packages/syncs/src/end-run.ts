import type { Tx } from '@tributary/api-kit'
import { endedSyncRuns, type SyncRunState } from '@tributary/contract'
import { beginRun } from './begin-run.ts'
import { moveRun } from './move-run.ts'
import type { RunEvent } from './run-state.ts'
import type { SyncServices } from './services.ts'

type Set = Parameters<typeof moveRun>[4]

/** Starts the syncs that follow a sync whose run has ended. A following sync that does not start shows the reason. */
const beginFollowers = async (
  tx: Tx,
  jobs: SyncServices['jobs'],
  run: { id: string; state: SyncRunState; time: Date },
): Promise<void> => {
  const followers = await tx
    .selectFrom('syncs')
    .innerJoin('sync_runs', 'sync_runs.sync_id', 'syncs.after_sync_id')
    .innerJoin('syncs as before', 'before.id', 'syncs.after_sync_id')
    .select(['syncs.id', 'before.title'])
    .where('sync_runs.id', '=', run.id)
    .where('syncs.paused', '=', false)
    .orderBy('syncs.id')
    .execute()
  for (const { id, title } of followers) {
    const kept = run.state === 'failed' || run.state === 'canceled' ? run.state : undefined
    const begun =
      kept === undefined ? await beginRun(tx, jobs, id, { trigger: 'after', resync: false, time: run.time }) : undefined
    const schedule_state = kept ?? (begun === undefined ? 'not_ended' : 'on_time')
    const schedule_title = kept === undefined ? '' : title
    await tx.updateTable('syncs').set({ schedule_state, schedule_title }).where('id', '=', id).execute()
  }
}

/**
 * Applies an event to a run like `moveRun`, in the caller's transaction. If this ends the run, the syncs that follow it
 * are started.
 */
export const endRun = async (
  tx: Tx,
  { jobs, clock }: Pick<SyncServices, 'jobs' | 'clock'>,
  id: string,
  event: RunEvent,
  set: Set = {},
): Promise<SyncRunState | undefined> => {
  const time = new Date(clock())
  const state = await moveRun(tx, id, event, time, set)
  if (state !== undefined && endedSyncRuns.includes(state)) await beginFollowers(tx, jobs, { id, state, time })
  return state
}
