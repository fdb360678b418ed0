import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { modelCounts, presentDataSource } from '@tributary/syncs'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The data sources of a workspace, newest first. */
export const listDataSources =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>): Handler<typeof methods.dataSources.list> =>
  async ({ workspace, params, query }) => {
    const { db } = deps
    const { rows, next } = await newestFirst(
      { name: 'dataSources.list', table: 'data_sources', params, query },
      db.selectFrom('data_sources').selectAll().where('workspace_id', '=', workspace.id),
    )
    const counts = await modelCounts(
      db,
      rows.map(({ id }) => id),
    )
    return {
      data_sources: await Promise.all(rows.map((row) => presentDataSource(row, counts, deps))),
      next_page_token: next,
    }
  }
