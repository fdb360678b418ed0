import { createdCursor, createdCursorOf, olderThan, openPage, parseReference } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentModel, readDataSource, selectModels } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** The models of a workspace, or of one of its data sources, newest first. */
export const listModels =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.models.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('models.list', params, query, createdCursor)
    const named =
      query.data_source === undefined
        ? undefined
        : parseReference(resourceNames.dataSource, 'data_source', query.data_source)
    const dataSource = named === undefined ? undefined : await readDataSource(db, workspace.id, named.data_source)
    const found = await selectModels(db)
      .where('models.workspace_id', '=', workspace.id)
      .$if(dataSource !== undefined, (select) => select.where('models.data_source_id', '=', dataSource?.id ?? ''))
      .where(olderThan('models', page.after))
      .orderBy('models.create_time', 'desc')
      .orderBy('models.id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return { models: rows.map(presentModel), next_page_token: next }
  }
