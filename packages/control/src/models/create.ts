import { audit, idFor, parseReference } from '@tributary/api-kit'
import { dataSourceLimits, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, notFound } from '@tributary/kernel'
import { modelName, presentModel, readDataSource, readModel, type SessionDeps } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { audienceOf } from './audience-of.ts'
import { describeModel } from './describe.ts'

/** Stores a model after the database has parsed and planned its query. */
export const createModel =
  (deps: SessionDeps & Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.models.create> =>
  async ({ workspace, body, signal }) => {
    const { db, clock } = deps
    const named = parseReference(resourceNames.dataSource, 'data_source', body.data_source)
    if (named.workspace !== workspace.id) throw notFound('data source not found')
    const dataSource = await readDataSource(db, workspace.id, named.data_source)
    const columns = await describeModel(deps, dataSource, { query: body.query, key: body.primary_key, signal })
    const id = idFor(body.request_id, 'models', workspace.id)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      // The lock makes concurrent calls run one after the other, and shows whether the data source was deleted
      // meanwhile.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      await readDataSource(tx, workspace.id, dataSource.id)
      const known = await tx.selectFrom('models').select('id').where('workspace_id', '=', workspace.id).execute()
      if (known.some((each) => each.id === id)) return
      if (known.length >= dataSourceLimits.models)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${dataSourceLimits.models} models`)
      await tx
        .insertInto('models')
        .values({
          id,
          workspace_id: workspace.id,
          data_source_id: dataSource.id,
          title: body.title,
          audience_id: await audienceOf(tx, dataSource, body.query),
          query: JSON.stringify(body.query),
          primary_key: body.primary_key,
          columns: JSON.stringify(columns),
          create_time: time,
          update_time: time,
        })
        .execute()
      await audit(tx, modelName(workspace.id, id), { title: body.title, data_source: body.data_source })
    })
    return presentModel(await readModel(db, workspace.id, id))
  }
