import { parseReference } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentModel, readDataSource, selectModels } from '@tributary/syncs'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The models of a workspace, or of one of its data sources, newest first. */
export const listModels =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.models.list> =>
  async ({ workspace, params, query }) => {
    const named =
      query.data_source === undefined
        ? undefined
        : parseReference(resourceNames.dataSource, 'data_source', query.data_source)
    const dataSource = named === undefined ? undefined : await readDataSource(db, workspace.id, named.data_source)
    const { rows, next } = await newestFirst(
      { name: 'models.list', table: 'models', params, query },
      selectModels(db)
        .where('models.workspace_id', '=', workspace.id)
        .$if(dataSource !== undefined, (select) => select.where('models.data_source_id', '=', dataSource?.id ?? '')),
    )
    return { models: rows.map(presentModel), next_page_token: next }
  }
