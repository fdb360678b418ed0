import type { methods, SyncRun } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { countRows, countsOf, createSyncStore, presentRun, readSyncRun } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

type Deps = Pick<ControlDeps, 'db' | 'eventStore'>

/**
 * Reads a run of a sync of this workspace. Includes the number of rows read so far during reading, and their outcomes
 * during sending. Throws 404 if the run does not exist.
 */
export const readRunOfNow = async (
  { db, eventStore }: Deps,
  workspaceId: string,
  names: { sync: string; run: string },
  signal: AbortSignal,
): Promise<SyncRun> => {
  const row = await readSyncRun(db, workspaceId, names)
  const store = createSyncStore(eventStore, workspaceId, signal)
  if (row.state === 'extracting') return { ...presentRun(row), rows_read: await store.stagedCount(row.id) }
  const counts = countsOf(row)
  if (counts === null || (row.state !== 'sending' && row.state !== 'canceling')) return presentRun(row)
  const found = await store.count(row.id)
  return { ...presentRun(row), counts: countRows(counts.read, found) }
}

/** Returns a run with its current counts. */
export const getSyncRun =
  (deps: Deps): Handler<typeof methods.syncRuns.get> =>
  ({ workspace, params, signal }) =>
    readRunOfNow(deps, workspace.id, params, signal)
