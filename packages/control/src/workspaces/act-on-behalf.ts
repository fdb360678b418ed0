import { audit, requireWorkspace } from '@tributary/api-kit'
import { everyRole, type methods, ownOrganizationMessage, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { readWorkspace } from './get.ts'

/**
 * Returns the workspace in which a platform admin is going to act, by ID or resource name. Refuses a workspace of an
 * organization to which the admin belongs (STF-18). Changes nothing, because a platform admin may act everywhere. The
 * audit log of the organization records it.
 */
export const actOnBehalf =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.workspaces.actOnBehalf> =>
  async ({ actor, body }) => {
    const id = resourceNames.workspace.parse(body.workspaceId)?.workspace ?? body.workspaceId
    const { organizationId } = await requireWorkspace(db, actor, id, everyRole)
    const membership = await db
      .selectFrom('memberships')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', actor.userId)
      .executeTakeFirst()
    if (membership !== undefined)
      throw badRequest('OWN_ORGANIZATION', ownOrganizationMessage, { workspaceId: ownOrganizationMessage })
    const workspace = await db.transaction().execute(async (tx) => {
      await audit(tx, resourceNames.workspace.format({ workspace: id }), {}, { organizationId, workspaceId: id })
      return await readWorkspace(tx, id)
    })
    return { workspace }
  }
