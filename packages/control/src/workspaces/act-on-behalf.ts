import { audit, requireWorkspace } from '@tributary/api-kit'
import { everyRole, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readWorkspace } from './get.ts'

/**
 * The workspace that a platform admin is going to act in, by id or resource name. Changes nothing: a platform admin may
 * act everywhere. It is recorded, so that the organisation can be told who was there.
 */
export const actOnBehalf =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.workspaces.actOnBehalf> =>
  async ({ actor, body }) => {
    const id = resourceNames.workspace.parse(body.workspaceId)?.workspace ?? body.workspaceId
    const { organizationId } = await requireWorkspace(db, actor, id, everyRole)
    const workspace = await db.transaction().execute(async (tx) => {
      await audit(tx, {
        actor,
        action: 'workspaces.actOnBehalf',
        resource: resourceNames.workspace.format({ workspace: id }),
        organizationId,
        workspaceId: id,
        time: new Date(clock()),
      })
      return await readWorkspace(tx, id)
    })
    return { workspace }
  }
