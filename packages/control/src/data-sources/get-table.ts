import { dataSourceLimits, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { readDataSource, type SessionDeps, useDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Returns the columns of a table. Throws 404 if the table does not exist or the account may not read it. */
export const getDataSourceTable =
  (deps: SessionDeps & Pick<ControlDeps, 'db'>): Handler<typeof methods.dataSources.getTable> =>
  async ({ workspace, params, query, signal }) => {
    const row = await readDataSource(deps.db, workspace.id, params.data_source)
    const columns = await useDataSource(deps, row, signal, (session) =>
      session.listColumns({ schema: query.schema, table: query.table }, dataSourceLimits.columns),
    )
    if (columns.length === 0) throw notFound('table not found')
    return { columns }
  }
