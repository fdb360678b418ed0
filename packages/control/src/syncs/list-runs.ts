import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentRun, readSync } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** The runs of a sync, newest first. */
export const listSyncRuns =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncRuns.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('syncRuns.list', params, query, createdCursor)
    const { id } = await readSync(db, workspace.id, params.sync)
    const found = await db
      .selectFrom('sync_runs')
      .selectAll()
      .where('sync_id', '=', id)
      .where(olderThan('sync_runs', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return { runs: rows.map(presentRun), next_page_token: next }
  }
