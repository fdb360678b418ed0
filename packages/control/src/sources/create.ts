import { audit, idFor, insertSource, parseReference } from '@tributary/api-kit'
import { withinPlan } from '@tributary/billing'
import { checkNewSettings, noSettings, presentSource, selectSources, storeSettings } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { insertSchemaVersion } from '../schema-versions/write.ts'
import { initialSchema } from './initial-schema.ts'

/** Makes a source for an entry of the catalog, with the product to which this entry belongs. */
export const createSource =
  (
    deps: Pick<ControlDeps, 'db' | 'billing' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.sources.create> =>
  async ({ actor, workspace, body }) => {
    const { db, catalog, secretBox, clock } = deps
    const { app } = parseReference(resourceNames.catalogSource, 'app.name', body.app.name)
    const entry = catalog.sources.find(({ slug }) => slug === app)
    if (entry === undefined) {
      const text = 'There is no source with this name in the catalog'
      throw badRequest('VALIDATION', text, { 'app.name': text })
    }
    const opened = await entry.load()
    const definition = { ...opened, settings: opened.settings ?? noSettings }
    const settings = checkNewSettings(definition, body.settings)
    const id = idFor(body.request_id, 'sources', workspace.id)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const made = await insertSource(tx, {
        id,
        workspace_id: workspace.id,
        title: body.title,
        app,
        ...storeSettings(`sources/${id}`, definition, settings, secretBox),
        target_product: entry.targetProduct,
        create_time: time,
        update_time: time,
      })
      if (!made) return
      await withinPlan(tx, deps, workspace.organizationId, 'sources')
      const template = body.schema?.initial_template.name
      await insertSchemaVersion(tx, {
        sourceId: id,
        version: 1,
        stored: await initialSchema(tx, workspace.id, opened, template),
        change: 'created',
        authorId: actor.userId,
        time,
      })
      await audit(tx, resourceNames.source.format({ workspace: workspace.id, source: id }), {
        title: body.title,
        app,
        settings: Object.keys(settings),
        ...(template === undefined ? {} : { template }),
      })
    })
    const row = await selectSources(db, workspace.id).where('sources.id', '=', id).executeTakeFirst()
    if (row === undefined) throw conflict('ALREADY_EXISTS', 'This request made a source that has been deleted since')
    return await presentSource(row, deps)
  }
