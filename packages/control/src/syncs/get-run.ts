import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { countRows } from './counts.ts'
import { countsOf, presentRun, readSyncRun } from './read.ts'
import { createSyncStore } from './store.ts'

/** A run; while it reads, with how many rows that is so far, and while it sends, with what has become of them. */
export const getSyncRun =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.syncRuns.get> =>
  async ({ workspace, params, signal }) => {
    const row = await readSyncRun(db, workspace.id, params)
    const store = createSyncStore(eventStore, workspace.id, signal)
    if (row.state === 'extracting') return { ...presentRun(row), rows_read: await store.stagedCount(row.id) }
    const counts = countsOf(row)
    if (counts === null || (row.state !== 'sending' && row.state !== 'canceling')) return presentRun(row)
    const found = await store.count(row.id)
    return { ...presentRun(row), counts: countRows(counts.read, found) }
  }
