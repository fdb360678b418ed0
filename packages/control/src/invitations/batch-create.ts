import { audit, lockOrganizationFor, newToken, type Tx } from '@tributary/api-kit'
import { withinSeats } from '@tributary/billing'
import { type methods, type Role, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type Actor, conflict, newId } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { mailInvitation } from './mail.ts'
import { invitationLifeMs, invitationsOf, presentInvitation } from './read.ts'
import { countInvitations } from './send-limit.ts'

type Line = { invitee_email: string; role: Role }

const refuseMembers = async (tx: Tx, organizationId: string, lines: readonly Line[]): Promise<void> => {
  const rows = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('memberships.organization_id', '=', organizationId)
    .where(
      sql`lower(users.email)`,
      'in',
      lines.map((line) => line.invitee_email.toLowerCase()),
    )
    .orderBy('users.email')
    .execute()
  if (rows.length === 0) return
  const emails = rows.map((row) => row.email).join(', ')
  const text = `${rows.length === 1 ? 'Already a member' : 'Already members'}: ${emails}`
  throw conflict('ALREADY_EXISTS', text, { emails: text })
}

/**
 * Creates the invitation. If this address has an open invitation, gives that one the new role, inviter, link, and time.
 */
const writeInvitation = async (
  tx: Tx,
  actor: Actor,
  organizationId: string,
  line: Line,
  now: number,
): Promise<{ id: string; token: string }> => {
  const { token, hash } = newToken()
  const fresh = {
    invitee_email: line.invitee_email,
    role: line.role,
    inviter_id: actor.userId,
    token_hash: hash,
    send_time: new Date(now),
    expire_time: new Date(now + invitationLifeMs),
  }
  const { id } = await tx
    .insertInto('invitations')
    .values({ id: newId(), organization_id: organizationId, create_time: new Date(now), ...fresh })
    .onConflict((conflicting) =>
      conflicting
        .expression(sql`organization_id, lower(invitee_email)`)
        .where('accept_time', 'is', null)
        .where('revoke_time', 'is', null)
        .doUpdateSet(fresh),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, token }
}

/**
 * Invites all of the addresses or none. An invited address gets a new mail with a new link; the address of a member is
 * refused. Only administrators may call it. Each organization and each administrator has a limit per hour.
 */
export const batchCreateInvitations =
  (
    deps: Pick<ControlDeps, 'db' | 'billing' | 'jobs' | 'clock' | 'counters' | 'publicUrl'>,
  ): Handler<typeof methods.invitations.batchCreate> =>
  async ({ actor, organization, body }) => {
    const { db, jobs, clock, counters, publicUrl } = deps
    const { id: organizationId } = organization
    const lines = body.requests
    const takeBack = await countInvitations(counters, { organizationId, userId: actor.userId }, lines.length)
    try {
      return await db.transaction().execute(async (tx) => {
        await lockOrganizationFor(tx, actor, organization)
        await refuseMembers(tx, organizationId, lines)
        const now = clock()
        const written: { id: string; token: string }[] = []
        await withinSeats(tx, deps, organizationId, async () => {
          for (const line of lines) written.push(await writeInvitation(tx, actor, organizationId, line, now))
        })
        const invitations = []
        for (const { id, token } of written) {
          const row = await invitationsOf(tx).where('invitations.id', '=', id).executeTakeFirstOrThrow()
          await mailInvitation(tx, { jobs, publicUrl }, row, token)
          invitations.push(presentInvitation(row))
        }
        await audit(tx, resourceNames.organization.format({ organization: organizationId }), { requests: lines })
        return { invitations }
      })
    } catch (error) {
      await takeBack()
      throw error
    }
  }
