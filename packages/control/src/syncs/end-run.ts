import type { Tx } from '@tributary/api-kit'
import { endedSyncRuns, type SyncRunState, sentSyncRuns } from '@tributary/contract'
import type { ControlDeps } from '../deps.ts'
import { beginRun } from './begin-run.ts'
import { moveRun } from './move-run.ts'
import type { RunEvent } from './run-state.ts'

type Set = Parameters<typeof moveRun>[4]

/** Why the schedule of a sync brought no run. */
export const notEnded = 'The run before had not ended'
const ends = { failed: 'failed', canceled: 'was canceled' } as const

/** Begins the syncs that run after one whose run has ended; those that do not run say why. */
const beginFollowers = async (
  tx: Tx,
  jobs: ControlDeps['jobs'],
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
    const begun = sentSyncRuns.includes(run.state)
      ? await beginRun(tx, jobs, id, { trigger: 'after', resync: false, time: run.time })
      : undefined
    const reason =
      run.state === 'failed' || run.state === 'canceled' ? `The run of ${title} ${ends[run.state]}` : notEnded
    const schedule_note = begun === undefined ? reason : ''
    await tx.updateTable('syncs').set({ schedule_note }).where('id', '=', id).execute()
  }
}

/**
 * Has an event happen to a run as `moveRun` does, in the caller's transaction. When the run has ended by that, the syncs that run
 * after it begin with it.
 */
export const endRun = async (
  tx: Tx,
  { jobs, clock }: Pick<ControlDeps, 'jobs' | 'clock'>,
  id: string,
  event: RunEvent,
  set: Set = {},
): Promise<SyncRunState | undefined> => {
  const time = new Date(clock())
  const state = await moveRun(tx, id, event, time, set)
  if (state !== undefined && endedSyncRuns.includes(state)) await beginFollowers(tx, jobs, { id, state, time })
  return state
}
