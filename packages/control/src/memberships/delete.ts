import { audit, deleteNotificationsOfMember, lockOrganizationFor } from '@tributary/api-kit'
import { administrators, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { AccessChanged, ControlDeps } from '../deps.ts'
import { rememberFormer } from './former.ts'
import { readMember, requireAnotherAdministrator } from './read.ts'

/**
 * Removes a member, or ends the caller's own membership. Ends the access of the member immediately, and removes the
 * notifications of the organization from the member's inbox. Refuses to remove the last administrator.
 */
export const deleteMembership =
  ({
    db,
    clock,
    accessChanged,
  }: Pick<ControlDeps, 'db' | 'clock'> & { accessChanged: AccessChanged }): Handler<
    typeof methods.memberships.delete
  > =>
  async ({ actor, organization, params }) => {
    const { id: organizationId } = organization
    const removed = await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const member = await readMember(tx, organizationId, params.membership)
      // An API key never leaves an organization on behalf of its creator.
      const leaves = member.user_id === actor.userId && actor.key === undefined
      if (!leaves) await lockOrganizationFor(tx, actor, { id: organizationId, roles: administrators })
      if (member.role === 'ORG_ADMIN') await requireAnotherAdministrator(tx, member)
      const time = new Date(clock())
      await tx.deleteFrom('memberships').where('id', '=', member.id).execute()
      await rememberFormer(tx, member, { removed: !leaves, time })
      await deleteNotificationsOfMember(tx, member.user_id, organizationId)
      await audit(tx, resourceNames.membership.format({ organization: organizationId, membership: member.id }), {
        user: member.user_id,
        role: member.role,
      })
      return member.user_id
    })
    accessChanged(removed)
    return {}
  }
