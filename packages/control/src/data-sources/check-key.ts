import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { readDataSource, type SessionDeps, useDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Counts the rows of a query that have no unique key in these columns. The database reads all rows for this. */
export const checkKey =
  (deps: SessionDeps & Pick<ControlDeps, 'db'>): Handler<typeof methods.dataSources.checkKey> =>
  async ({ workspace, params, body, signal }) => {
    const row = await readDataSource(deps.db, workspace.id, params.data_source)
    return await useDataSource(deps, row, signal, (session) => session.checkKey(body.query, body.primary_key))
  }
