import { audit } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { changedPlainSettings, changeSetting } from '../app-settings/change-setting.ts'
import { noSettings } from '../app-settings/stored-settings.ts'
import type { ControlDeps } from '../deps.ts'
import { presentSource, readSource } from './read.ts'

/** Changes one setting of a source; it holds for what is collected within two seconds. The row is locked meanwhile. */
export const updateSourceSetting =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.sources.updateSetting> =>
  async ({ actor, workspace, params, body }) => {
    const { db, catalog, secretBox, clock } = deps
    const { id, app } = await readSource(db, workspace.id, params.source)
    const entry = await catalog.sources.find(({ slug }) => slug === app)?.load()
    const definition = entry === undefined ? undefined : { ...entry, settings: entry.settings ?? noSettings }
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('sources')
        .selectAll()
        .where('id', '=', id)
        .where('delete_time', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (row === undefined) throw notFound('source not found')
      const changed = changeSetting(`sources/${id}`, definition, row, body, secretBox)
      await tx
        .updateTable('sources')
        .set({ ...changed, update_time: time })
        .where('id', '=', id)
        .execute()
      await audit(tx, {
        actor,
        action: 'sources.updateSetting',
        resource: resourceNames.sourceApp.format({ workspace: workspace.id, source: id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { setting: body.name },
        changes: changedPlainSettings(row, changed),
        time,
      })
    })
    return await presentSource(await readSource(db, workspace.id, id), deps)
  }
