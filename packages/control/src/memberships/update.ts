import { audit, changesOf, lockOrganizationFor } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { AccessChanged, ControlDeps } from '../deps.ts'
import { presentMember } from './present.ts'
import { readMember, requireAnotherAdministrator } from './read.ts'

/** Changes a member's role with immediate effect. Refuses to demote the last administrator. */
export const updateMembership =
  ({
    db,
    accessChanged,
  }: Pick<ControlDeps, 'db'> & { accessChanged: AccessChanged }): Handler<typeof methods.memberships.update> =>
  async ({ actor, organization, params, body }) => {
    const { id: organizationId } = organization
    const { member, changed } = await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const before = await readMember(tx, organizationId, params.membership)
      if (before.role === body.role) return { member: before, changed: false }
      if (before.role === 'ORG_ADMIN') await requireAnotherAdministrator(tx, before)
      await tx.updateTable('memberships').set({ role: body.role }).where('id', '=', before.id).execute()
      await audit(
        tx,
        resourceNames.membership.format({ organization: organizationId, membership: before.id }),
        { user: before.user_id, role: body.role, previous_role: before.role },
        { changes: changesOf({ role: before.role }, { role: body.role }) },
      )
      return { member: { ...before, role: body.role }, changed: true }
    })
    if (changed) accessChanged(member.user_id)
    return presentMember(member)
  }
