import { editors, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { audit } from '../audit.ts'
import type { ControlDeps } from '../deps.ts'
import { requireWorkspace } from '../workspace-access.ts'
import { presentWithSchema, readSource } from './read.ts'

/** Changes title or enabled. A disabled source refuses what is sent to it within two seconds. */
export const updateSource =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.sources.update> =>
  async ({ actor, params, body: { title, enabled, enforcement } }) => {
    const { db, clock } = deps
    const body = Object.fromEntries(
      Object.entries({ title, enabled, enforcement }).filter(([, value]) => value !== undefined),
    )
    const workspace = await requireWorkspace(db, actor, params.workspace, editors)
    const { id } = await readSource(db, workspace.id, params.source)
    if (Object.keys(body).length > 0) {
      const time = new Date(clock())
      await db.transaction().execute(async (tx) => {
        const changed = await tx
          .updateTable('sources')
          .set({ ...body, update_time: time })
          .where('id', '=', id)
          .where('delete_time', 'is', null)
          .returning('id')
          .executeTakeFirst()
        if (changed === undefined) return
        await audit(tx, {
          actor,
          action: 'sources.update',
          resource: resourceNames.source.format({ workspace: workspace.id, source: id }),
          organizationId: workspace.organizationId,
          workspaceId: workspace.id,
          detail: body,
          time,
        })
      })
    }
    return presentWithSchema(deps, await readSource(db, workspace.id, id))
  }
