import { audit, lockOrganization, requireCaller } from '@tributary/api-kit'
import { withinSeats } from '@tributary/billing'
import type { methods } from '@tributary/contract'
import { resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { forbidden } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { requireLive } from '../invitations/read.ts'
import { readFormer } from '../memberships/former.ts'
import { isMember, join, noSeatText } from '../memberships/join.ts'
import { readOrganization } from '../organizations/read.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { readInvitationLink } from './read.ts'

/**
 * Makes the caller a member with the role of the link. A member keeps the current role. Refuses a user who was removed
 * from the organization.
 */
export const acceptInvitationLink =
  (
    deps: Pick<ControlDeps, 'db' | 'billing' | 'clock' | 'live'> & { sessions: Pick<Sessions, 'refresh'> },
  ): Handler<typeof methods.invitationLinks.accept> =>
  async ({ actor, params, body }) => {
    const { db, clock, live, sessions } = deps
    requireCaller(actor, body.user)
    const { organization_id } = await readInvitationLink(db, params.organization, params.invitation_link)
    const announce = await db.transaction().execute(async (tx) => {
      await lockOrganization(tx, organization_id)
      if (await isMember(tx, organization_id, actor.userId)) return undefined
      const row = await readInvitationLink(tx, organization_id, params.invitation_link)
      const now = clock()
      requireLive(row, now)
      if ((await readFormer(tx, organization_id, actor.userId))?.removed)
        throw forbidden('You were removed from this organization. Ask an administrator to invite you by email')
      await audit(
        tx,
        resourceNames.organization.format({ organization: organization_id }),
        { role: row.role },
        { organizationId: organization_id },
      )
      const joining = {
        organizationId: organization_id,
        userId: actor.userId,
        role: row.role,
        how: 'joined by an invitation link',
        now,
      }
      return await withinSeats(tx, deps, organization_id, () => join(tx, joining), noSeatText)
    })
    announce?.(live)
    sessions.refresh()
    return { organization: await readOrganization(db, organization_id) }
  }
