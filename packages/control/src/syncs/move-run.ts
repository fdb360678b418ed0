import type { Db } from '@tributary/api-kit'
import { endedSyncRuns, type SyncRunState } from '@tributary/contract'
import type { SyncRunsTable } from '@tributary/storage'
import type { Updateable } from 'kysely'
import { type RunEvent, runTransitions } from './run-state.ts'

/**
 * Has an event happen to a run: its next state is written with what else is known, at the time that is given. Resolves to
 * the new state; to undefined when the state of now ignores the event, or the run is gone.
 */
export const moveRun = (
  db: Db,
  id: string,
  event: RunEvent,
  time: Date,
  set: Omit<Updateable<SyncRunsTable>, 'state' | 'finish_time'> = {},
): Promise<SyncRunState | undefined> => {
  const move = async (tx: Db): Promise<SyncRunState | undefined> => {
    const row = await tx.selectFrom('sync_runs').select('state').where('id', '=', id).forUpdate().executeTakeFirst()
    const next = row === undefined ? undefined : runTransitions[row.state][event]
    if (next === undefined) return undefined
    await tx
      .updateTable('sync_runs')
      .set({ ...set, state: next, ...(endedSyncRuns.includes(next) ? { finish_time: time } : {}) })
      .where('id', '=', id)
      .execute()
    return next
  }
  return db.isTransaction ? move(db) : db.transaction().execute(move)
}
