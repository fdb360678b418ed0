import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { modelName, readModel } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Deletes a model. */
export const deleteModel =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.models.delete> =>
  async ({ workspace, params }) => {
    const { id, title } = await readModel(db, workspace.id, params.model)
    await db.transaction().execute(async (tx) => {
      const deleted = await tx.deleteFrom('models').where('id', '=', id).returning('id').executeTakeFirst()
      if (deleted === undefined) throw notFound('model not found')
      await audit(tx, modelName(workspace.id, id), { title })
    })
    return {}
  }
