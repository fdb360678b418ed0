import { audit, isId, lockOrganizationFor } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Revokes an invitation. Its link then returns 410. */
export const deleteInvitation =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.invitations.delete> =>
  async ({ actor, organization, params }) => {
    const { id: organizationId } = organization
    if (!isId(params.invitation)) throw notFound('invitation not found')
    await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const time = new Date(clock())
      const revoked = await tx
        .updateTable('invitations')
        .set({ revoke_time: time })
        .where('id', '=', params.invitation)
        .where('organization_id', '=', organizationId)
        .where('accept_time', 'is', null)
        .where('revoke_time', 'is', null)
        .returning('invitee_email')
        .executeTakeFirst()
      if (revoked === undefined) throw notFound('invitation not found')
      await audit(
        tx,
        resourceNames.invitation.format({ organization: organizationId, invitation: params.invitation }),
        { invitee_email: revoked.invitee_email },
      )
    })
    return {}
  }
