import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { dataSourceName, readDataSource, uploadFolder } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Deletes a data source with its secrets, its models, and its file. */
export const deleteDataSource =
  ({ db, files, logger }: Pick<ControlDeps, 'db' | 'files' | 'logger'>): Handler<typeof methods.dataSources.delete> =>
  async ({ workspace, params }) => {
    const { id, title } = await readDataSource(db, workspace.id, params.data_source)
    await db.transaction().execute(async (tx) => {
      const deleted = await tx.deleteFrom('data_sources').where('id', '=', id).returning('id').executeTakeFirst()
      if (deleted === undefined) throw notFound('data source not found')
      await audit(tx, dataSourceName(workspace.id, id), { title })
    })
    await files
      .delete(uploadFolder({ workspaceId: workspace.id, dataSourceId: id }))
      .catch((error: unknown) =>
        logger.warn({ id, error: String(error) }, 'the file of a data source could not be deleted'),
      )
    return {}
  }
