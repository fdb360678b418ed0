import { offsetCursor, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { readDataSource, type SessionDeps, useDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Returns a page of the tables that the account may read. Asks the database for each page. */
export const listDataSourceTables =
  (deps: SessionDeps & Pick<ControlDeps, 'db'>): Handler<typeof methods.dataSources.listTables> =>
  async ({ workspace, params, query, signal }) => {
    const row = await readDataSource(deps.db, workspace.id, params.data_source)
    const page = openPage('dataSources.listTables', params, query, offsetCursor)
    const offset = page.after ?? 0
    const found = await useDataSource(deps, row, signal, (session) =>
      session.listTables({ search: query.search, offset, limit: page.size + 1 }),
    )
    const { rows, next } = page.cut(found, () => offset + page.size)
    return { tables: rows, next_page_token: next }
  }
