import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { lastRuns, presentSync, selectSyncs } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** The syncs of a workspace, newest first. */
export const listSyncs =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncs.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('syncs.list', params, query, createdCursor)
    const found = await selectSyncs(db)
      .where('syncs.workspace_id', '=', workspace.id)
      .where(olderThan('syncs', page.after))
      .orderBy('syncs.create_time', 'desc')
      .orderBy('syncs.id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    const runs = await lastRuns(
      db,
      rows.map(({ id }) => id),
    )
    return { syncs: rows.map((row) => presentSync(row, runs)), next_page_token: next }
  }
