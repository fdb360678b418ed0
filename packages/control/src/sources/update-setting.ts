import { audit, setSource } from '@tributary/api-kit'
import { changedPlainSettings, changeSetting, noSettings, presentSource, readSource } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Changes one setting of a source. Collection uses it within two seconds. The row is locked during the change. */
export const updateSourceSetting =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.sources.updateSetting> =>
  async ({ workspace, params, body }) => {
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
      await setSource(tx, id, { ...changed, update_time: time })
      await audit(
        tx,
        resourceNames.sourceApp.format({ workspace: workspace.id, source: id }),
        { setting: body.name },
        { changes: changedPlainSettings(row, changed) },
      )
    })
    return await presentSource(await readSource(db, workspace.id, id), deps)
  }
