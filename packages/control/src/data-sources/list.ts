import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { modelCounts, presentDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** The data sources of a workspace, newest first. */
export const listDataSources =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>): Handler<typeof methods.dataSources.list> =>
  async ({ workspace, params, query }) => {
    const { db } = deps
    const page = openPage('dataSources.list', params, query, createdCursor)
    const found = await db
      .selectFrom('data_sources')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where(olderThan('data_sources', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    const counts = await modelCounts(
      db,
      rows.map(({ id }) => id),
    )
    return {
      data_sources: await Promise.all(rows.map((row) => presentDataSource(row, counts, deps))),
      next_page_token: next,
    }
  }
