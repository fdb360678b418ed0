import { audit, changesOf } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { modelName, presentModel, readDataSource, readModel, type SessionDeps } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { audienceOf } from './audience-of.ts'
import { describeModel } from './describe.ts'

/** Changes the title, query, or key of a model. The database parses and plans a changed query or key first. */
export const updateModel =
  (deps: SessionDeps & Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.models.update> =>
  async ({ workspace, params, body, signal }) => {
    const { db, clock } = deps
    const row = await readModel(db, workspace.id, params.model)
    const { query, primary_key } = { ...presentModel(row), ...body }
    const columns =
      body.query === undefined && body.primary_key === undefined
        ? undefined
        : await describeModel(deps, await readDataSource(db, workspace.id, row.data_source_id), {
            query,
            key: primary_key,
            signal,
          })
    if (Object.keys(body).length > 0) {
      const time = new Date(clock())
      await db.transaction().execute(async (tx) => {
        const changed = await tx
          .updateTable('models')
          .set({
            ...(body.title === undefined ? {} : { title: body.title }),
            ...(columns === undefined
              ? {}
              : {
                  audience_id: await audienceOf(tx, await readDataSource(tx, workspace.id, row.data_source_id), query),
                  query: JSON.stringify(query),
                  primary_key,
                  columns: JSON.stringify(columns),
                }),
            update_time: time,
          })
          .where('id', '=', row.id)
          .returning('id')
          .executeTakeFirst()
        if (changed === undefined) throw notFound('model not found')
        await audit(
          tx,
          modelName(workspace.id, row.id),
          { changed: Object.keys(body) },
          { changes: changesOf(presentModel(row), body) },
        )
      })
    }
    return presentModel(await readModel(db, workspace.id, row.id))
  }
