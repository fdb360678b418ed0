import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { readDataSource, type SessionDeps, useDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Has the database parse and plan a query, without running it. */
export const validateQuery =
  (deps: SessionDeps & Pick<ControlDeps, 'db'>): Handler<typeof methods.dataSources.validate> =>
  async ({ workspace, params, body: { query }, signal }) => {
    const row = await readDataSource(deps.db, workspace.id, params.data_source)
    return { columns: await useDataSource(deps, row, signal, (session) => session.describe(query)) }
  }
