import type { Db } from '@tributary/api-kit'
import { endedSyncRuns, type SyncRunState } from '@tributary/contract'
import type { SyncRunsTable } from '@tributary/storage'
import type { Updateable } from 'kysely'
import { stateTimesOf } from './read.ts'
import { type RunEvent, runTransitions } from './run-state.ts'

/**
 * Applies an event to a run: stores its next state, with the other given values, at the given time. Returns the new
 * state; undefined if the current state ignores the event or the run does not exist.
 */
export const moveRun = (
  db: Db,
  id: string,
  event: RunEvent,
  time: Date,
  set: Omit<Updateable<SyncRunsTable>, 'state' | 'state_times' | 'finish_time'> = {},
): Promise<SyncRunState | undefined> => {
  const move = async (tx: Db): Promise<SyncRunState | undefined> => {
    const row = await tx
      .selectFrom('sync_runs')
      .select(['state', 'state_times'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    const next = row === undefined ? undefined : runTransitions[row.state][event]
    if (row === undefined || next === undefined) return undefined
    const state_times = JSON.stringify({ ...stateTimesOf(row), [next]: time.toISOString() })
    await tx
      .updateTable('sync_runs')
      .set({ ...set, state: next, state_times, ...(endedSyncRuns.includes(next) ? { finish_time: time } : {}) })
      .where('id', '=', id)
      .execute()
    return next
  }
  return db.isTransaction ? move(db) : db.transaction().execute(move)
}
