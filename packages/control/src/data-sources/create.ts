import { audit, idFor, parseReference } from '@tributary/api-kit'
import { checkNewSettings, storeSettings } from '@tributary/configuration'
import { dataSourceLimits, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { dataSourceName, showDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/**
 * Makes a data source for an entry of the catalog, with all of its settings. Seals the secrets, and connects to
 * nothing.
 */
export const createDataSource =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.dataSources.create> =>
  async ({ workspace, body }) => {
    const { db, catalog, secretBox, clock } = deps
    const { app } = parseReference(resourceNames.catalogDataSource, 'app.name', body.app.name)
    const definition = await catalog.dataSources.find(({ slug }) => slug === app)?.load()
    if (definition === undefined) {
      const text = 'There is no data source with this name in the catalog'
      throw badRequest('VALIDATION', text, { 'app.name': text })
    }
    const settings = checkNewSettings(definition, body.settings)
    const id = idFor(body.request_id, 'data_sources', workspace.id)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      // The lock makes concurrent calls count the data sources one after the other.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      const known = await tx.selectFrom('data_sources').select('id').where('workspace_id', '=', workspace.id).execute()
      if (known.some((each) => each.id === id)) return
      if (known.length >= dataSourceLimits.dataSources)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${dataSourceLimits.dataSources} data sources`)
      await tx
        .insertInto('data_sources')
        .values({
          id,
          workspace_id: workspace.id,
          title: body.title,
          app,
          ...storeSettings(`dataSources/${id}`, definition, settings, secretBox),
          create_time: time,
          update_time: time,
        })
        .execute()
      await audit(tx, dataSourceName(workspace.id, id), { title: body.title, app, settings: Object.keys(settings) })
    })
    return await showDataSource(deps, workspace.id, id)
  }
