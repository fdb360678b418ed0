import { editors, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { changeSetting } from '../app-settings/change-setting.ts'
import { audit } from '../audit.ts'
import type { ControlDeps } from '../deps.ts'
import { requireWorkspace } from '../workspace-access.ts'
import { readDestination, showDestination } from './read.ts'

/** Changes one setting of a destination. The row is locked, so that two changes at once both count. */
export const updateSetting =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.destinations.updateSetting> =>
  async ({ actor, params, body }) => {
    const { db, catalog, secretBox, clock } = deps
    const workspace = await requireWorkspace(db, actor, params.workspace, editors)
    const { id } = await readDestination(db, workspace.id, params.destination)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('destinations')
        .selectAll()
        .where('id', '=', id)
        .where('delete_time', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (row === undefined) throw notFound('destination not found')
      const definition = catalog.destinations.find(({ slug }) => slug === row.app)
      await tx
        .updateTable('destinations')
        .set({ ...changeSetting(`destinations/${id}`, definition, row, body, secretBox), update_time: time })
        .where('id', '=', id)
        .execute()
      await audit(tx, {
        actor,
        action: 'destinations.updateSetting',
        resource: resourceNames.destinationApp.format({ workspace: workspace.id, destination: id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { setting: body.name },
        time,
      })
    })
    return (await showDestination(deps, workspace.id, id)).app
  }
