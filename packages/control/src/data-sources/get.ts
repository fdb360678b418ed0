import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { showDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** A data source with its settings. */
export const getDataSource =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>): Handler<typeof methods.dataSources.get> =>
  async ({ workspace, params }) =>
    await showDataSource(deps, workspace.id, params.data_source)
