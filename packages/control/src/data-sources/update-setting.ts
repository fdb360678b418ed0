import { audit } from '@tributary/api-kit'
import { changedPlainSettings, changeSetting } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { dataSourceName, readDataSource, showDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/**
 * Changes one setting. If the change would send secrets to another address, the request must contain these secrets. The
 * row is locked, so that concurrent changes are both kept.
 */
export const updateDataSourceSetting =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.dataSources.updateSetting> =>
  async ({ workspace, params, body }) => {
    const { db, catalog, secretBox, clock } = deps
    const { id, app } = await readDataSource(db, workspace.id, params.data_source)
    const definition = await catalog.dataSources.find(({ slug }) => slug === app)?.load()
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await tx.selectFrom('data_sources').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
      if (row === undefined) throw notFound('data source not found')
      const changed = changeSetting(`dataSources/${id}`, definition, row, body, secretBox)
      await tx
        .updateTable('data_sources')
        .set({ ...changed, update_time: time })
        .where('id', '=', id)
        .execute()
      await audit(
        tx,
        dataSourceName(workspace.id, id),
        { setting: body.name, secrets: Object.keys(body.secrets) },
        { changes: changedPlainSettings(row, changed) },
      )
    })
    return await showDataSource(deps, workspace.id, id)
  }
