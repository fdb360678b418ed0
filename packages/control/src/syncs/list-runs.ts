import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentRun, readSync } from '@tributary/syncs'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The runs of a sync, newest first. */
export const listSyncRuns =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncRuns.list> =>
  async ({ workspace, params, query }) => {
    const { id } = await readSync(db, workspace.id, params.sync)
    const { rows, next } = await newestFirst(
      { name: 'syncRuns.list', table: 'sync_runs', params, query },
      db.selectFrom('sync_runs').selectAll().where('sync_id', '=', id),
    )
    return { runs: rows.map(presentRun), next_page_token: next }
  }
