import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readDataSource } from './read.ts'
import { type SessionDeps, useDataSource } from './use-session.ts'

/** Counts what keeps columns from telling the rows of a query apart; the database reads all of them. */
export const checkKey =
  (deps: SessionDeps & Pick<ControlDeps, 'db'>): Handler<typeof methods.dataSources.checkKey> =>
  async ({ workspace, params, body, signal }) => {
    const row = await readDataSource(deps.db, workspace.id, params.data_source)
    return await useDataSource(deps, row, signal, (session) => session.checkKey(body.query, body.primary_key))
  }
