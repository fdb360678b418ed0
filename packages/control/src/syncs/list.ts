import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { lastRuns, presentSync, selectSyncs } from '@tributary/syncs'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The syncs of a workspace, newest first. */
export const listSyncs =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncs.list> =>
  async ({ workspace, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'syncs.list', table: 'syncs', params, query },
      selectSyncs(db).where('syncs.workspace_id', '=', workspace.id),
    )
    const runs = await lastRuns(
      db,
      rows.map(({ id }) => id),
    )
    return { syncs: rows.map((row) => presentSync(row, runs)), next_page_token: next }
  }
