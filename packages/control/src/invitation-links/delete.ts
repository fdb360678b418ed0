import { audit, isId } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { lockOrganizationFor } from '../organizations/lock.ts'

/** Ends a link at once. */
export const deleteInvitationLink =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.invitationLinks.delete> =>
  async ({ actor, organization, params }) => {
    const { id: organizationId } = organization
    if (!isId(params.invitation_link)) throw notFound('invitation link not found')
    await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const time = new Date(clock())
      const revoked = await tx
        .updateTable('invitation_links')
        .set({ revoke_time: time })
        .where('id', '=', params.invitation_link)
        .where('organization_id', '=', organizationId)
        .where('revoke_time', 'is', null)
        .returning('role')
        .executeTakeFirst()
      if (revoked === undefined) throw notFound('invitation link not found')
      await audit(tx, {
        actor,
        action: 'invitationLinks.delete',
        resource: resourceNames.invitationLink.format({
          organization: organizationId,
          invitation_link: params.invitation_link,
        }),
        organizationId,
        workspaceId: null,
        detail: { role: revoked.role },
        time,
      })
    })
    return {}
  }
