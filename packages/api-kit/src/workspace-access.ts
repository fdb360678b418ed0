import { type Actor, canSee, forbidden, mayAct, notFound, type Role } from '@tributary/kernel'
import type { Db } from './db.ts'
import { isId } from './resource-ids.ts'

export type WorkspaceRef = { id: string; organizationId: string }

/**
 * The workspace, if the caller may act in it with one of these roles. Throws 404 'workspace not found' for one that is
 * absent or of an organisation the caller does not belong to, 403 for a role that is not allowed. Every verb below a
 * workspace begins with it.
 */
export const requireWorkspace = async (
  db: Db,
  actor: Actor,
  workspaceId: string,
  allowed: readonly Role[],
): Promise<WorkspaceRef> => {
  const row = isId(workspaceId)
    ? await db.selectFrom('workspaces').select('organization_id').where('id', '=', workspaceId).executeTakeFirst()
    : undefined
  if (row === undefined || !canSee(actor, row.organization_id)) throw notFound('workspace not found')
  if (!mayAct(actor, row.organization_id, allowed)) throw forbidden()
  return { id: workspaceId, organizationId: row.organization_id }
}

/** The id of an organisation in which the caller has one of these roles; 404 and 403 as for a workspace. */
export const requireOrganization = async (
  db: Db,
  actor: Actor,
  organizationId: string,
  allowed: readonly Role[],
): Promise<string> => {
  const row =
    isId(organizationId) && canSee(actor, organizationId)
      ? await db.selectFrom('organizations').select('id').where('id', '=', organizationId).executeTakeFirst()
      : undefined
  if (row === undefined) throw notFound('organization not found')
  if (!mayAct(actor, organizationId, allowed)) throw forbidden()
  return organizationId
}
