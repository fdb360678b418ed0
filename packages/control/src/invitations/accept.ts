import { audit, lockOrganization, type Tx } from '@tributary/api-kit'
import { withinSeats } from '@tributary/billing'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type Actor, forbidden } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { isMember, join, noSeatText } from '../memberships/join.ts'
import { readOrganization } from '../organizations/read.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { readInvitationByToken } from './get.ts'
import { type InvitationRow, isLive, requireLive } from './read.ts'

/** Marks the invitation as used. The link came by mail, so it also proves that the address belongs to the user. */
const use = async (tx: Tx, actor: Actor, row: InvitationRow, now: number): Promise<void> => {
  await tx
    .updateTable('invitations')
    .set({ accept_time: new Date(now), accepted_by: actor.userId })
    .where('id', '=', row.id)
    .execute()
  await tx
    .updateTable('users')
    .set({ email_verified_at: sql`coalesce(email_verified_at, ${new Date(now)})` })
    .where('id', '=', actor.userId)
    .execute()
  await audit(
    tx,
    resourceNames.invitation.format({ organization: row.organization_id, invitation: row.id }),
    { role: row.role },
    { organizationId: row.organization_id },
  )
}

/**
 * Makes the caller a member with the role of the invitation, and notifies the administrators. The invited address must
 * be the caller's. A member keeps the current role and gets the same response, so that opening a link twice does no
 * harm.
 */
export const acceptInvitation =
  (
    deps: Pick<ControlDeps, 'db' | 'billing' | 'clock' | 'live'> & { sessions: Pick<Sessions, 'refresh'> },
  ): Handler<typeof methods.invitations.accept> =>
  async ({ actor, params, body }) => {
    const { db, clock, live, sessions } = deps
    const { organization_id } = await readInvitationByToken(db, params.invitation, body.token)
    const announce = await db.transaction().execute(async (tx) => {
      await lockOrganization(tx, organization_id)
      const row = await readInvitationByToken(tx, params.invitation, body.token)
      const now = clock()
      const member = await isMember(tx, organization_id, actor.userId)
      const isTheirs = row.invitee_email.toLowerCase() === actor.email.toLowerCase()
      if (member && !(isTheirs && isLive(row, now))) return undefined
      requireLive(row, now)
      if (!isTheirs)
        throw forbidden(
          `This invitation is for ${row.invitee_email}, but you are signed in as ${actor.email}. Sign in with the invited email to accept it`,
        )
      const accept = async () => {
        await use(tx, actor, row, now)
        return await join(tx, {
          organizationId: organization_id,
          userId: actor.userId,
          role: row.role,
          how: 'accepted the invitation',
          now,
        })
      }
      return await withinSeats(tx, deps, organization_id, accept, noSeatText)
    })
    announce?.(live)
    sessions.refresh()
    return { organization: await readOrganization(db, organization_id) }
  }
