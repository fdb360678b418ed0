import { type Db, isId, isToken } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { previewOrganization } from '../organizations/read.ts'
import { type InvitationRow, invitationsOf, inviterOf, requireLive } from './read.ts'

/** Reads the invitation with this token, in any state. Throws 404 if the token is missing or wrong. */
export const readInvitationByToken = async (db: Db, id: string, token: string): Promise<InvitationRow> => {
  const row = isId(id) ? await invitationsOf(db).where('invitations.id', '=', id).executeTakeFirst() : undefined
  if (row === undefined || !isToken(token, row.token_hash))
    throw notFound('This invitation link is not valid. Use the link in the latest email, or ask for a new invitation')
  return row
}

/** Returns the organization and role of an invitation to anyone who has its link. */
export const getInvitation =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.invitations.get> =>
  async ({ params, query }) => {
    const row = await readInvitationByToken(db, params.invitation, query.token)
    requireLive(row, clock())
    const account = await db
      .selectFrom('users')
      .select('id')
      .where(sql`lower(email)`, '=', row.invitee_email.toLowerCase())
      .executeTakeFirst()
    return {
      organization: await previewOrganization(db, row.organization_id),
      inviter: inviterOf(row),
      role: { value: row.role },
      invitee_email: row.invitee_email,
      has_account: account !== undefined,
    }
  }
