import { audit, lockOrganizationFor, moveNotifications, setWorkspace, type Tx } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, notFound } from '@tributary/kernel'
import { sql } from 'kysely'
import type { AccessChanged, ControlDeps } from '../deps.ts'
import { closeWorkspaces } from './close.ts'

/** Counts the resources of a workspace, for the audit record of its deletion. */
const countsOf = async (tx: Tx, id: string): Promise<{ sources: number; destinations: number; syncs: number }> => {
  const { rows } = await sql<{ sources: number; destinations: number; syncs: number }>`
select (select count(*)::int from sources where workspace_id = ${id}::uuid and delete_time is null) as sources,
  (select count(*)::int from destinations where workspace_id = ${id}::uuid and delete_time is null) as destinations,
  (select count(*)::int from syncs where workspace_id = ${id}::uuid) as syncs`.execute(tx)
  return rows[0] ?? { sources: 0, destinations: 0, syncs: 0 }
}

/**
 * Deletes a workspace of an organization that has at least one other. From then on, it is not found, and nothing is
 * received or sent for it. Its data is removed in the background. The caller repeats the title, to confirm which
 * workspace is deleted.
 */
export const deleteWorkspace =
  (
    deps: Pick<ControlDeps, 'db' | 'clock'> & { accessChanged: AccessChanged; keysChanged: () => void },
  ): Handler<typeof methods.workspaces.delete> =>
  async ({ actor, workspace: { id, organizationId, roles }, body }) => {
    const { db, clock, accessChanged, keysChanged } = deps
    const members = await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, { id: organizationId, roles })
      const workspaces = await tx
        .selectFrom('workspaces')
        .select(['id', 'title'])
        .where('organization_id', '=', organizationId)
        .where('delete_time', 'is', null)
        .orderBy('create_time')
        .orderBy('id')
        .execute()
      const title = workspaces.find((each) => each.id === id)?.title
      if (title === undefined) throw notFound('workspace not found')
      if (body.title !== title) {
        const text = 'Enter the name of the workspace'
        throw badRequest('VALIDATION', `title: ${text}`, { title: text })
      }
      const other = workspaces.find((each) => each.id !== id)
      if (other === undefined)
        throw conflict(
          'LAST_WORKSPACE',
          'This is the only workspace of the organization. Create another one first, or delete the organization.',
        )
      const time = new Date(clock())
      const counts = await countsOf(tx, id)
      await closeWorkspaces(tx, [id], time)
      await tx.deleteFrom('api_keys').where('workspace_id', '=', id).execute()
      await moveNotifications(tx, id, other.id)
      await setWorkspace(tx, id, { delete_time: time, remove_time: time })
      await audit(tx, resourceNames.workspace.format({ workspace: id }), { title, ...counts })
      return await tx
        .selectFrom('memberships')
        .select('user_id')
        .where('organization_id', '=', organizationId)
        .execute()
    })
    keysChanged()
    for (const { user_id } of members) accessChanged(user_id)
    return {}
  }
