import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { countRows } from './counts.ts'
import { countsOf, presentRun, readSyncRun } from './read.ts'
import { createSyncStore } from './store.ts'

/** A run; while it sends, with what has become of its rows so far. */
export const getSyncRun =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.syncRuns.get> =>
  async ({ workspace, params, signal }) => {
    const row = await readSyncRun(db, workspace.id, params)
    const counts = countsOf(row)
    if (counts === null || (row.state !== 'sending' && row.state !== 'canceling')) return presentRun(row)
    const found = await createSyncStore(eventStore, workspace.id, signal).count(row.id)
    return { ...presentRun(row), counts: countRows(counts.read, found) }
  }
