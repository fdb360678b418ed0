import { type Db, displayName } from '@tributary/api-kit'
import { type Invitation, type Role, resourceNames } from '@tributary/contract'
import { AppError, notFound } from '@tributary/kernel'

export type InvitationRow = {
  id: string
  organization_id: string
  invitee_email: string
  role: Role
  create_time: Date
  send_time: Date
  expire_time: Date
  accept_time: Date | null
  accepted_by: string | null
  revoke_time: Date | null
  token_hash: Uint8Array
  inviter_email: string | null
  inviter_first_name: string | null
  inviter_last_name: string | null
}

/** Selects invitations with their inviters. */
export const invitationsOf = (db: Db) =>
  db
    .selectFrom('invitations')
    .leftJoin('users', 'users.id', 'invitations.inviter_id')
    .select([
      'invitations.id',
      'invitations.organization_id',
      'invitations.invitee_email',
      'invitations.role',
      'invitations.create_time',
      'invitations.send_time',
      'invitations.expire_time',
      'invitations.accept_time',
      'invitations.accepted_by',
      'invitations.revoke_time',
      'invitations.token_hash',
      'users.email as inviter_email',
      'users.first_name as inviter_first_name',
      'users.last_name as inviter_last_name',
    ])

/** Returns the name or address of the inviter; '' if the account was deleted. */
export const inviterOf = (
  row: Pick<InvitationRow, 'inviter_email' | 'inviter_first_name' | 'inviter_last_name'>,
): string =>
  displayName({
    email: row.inviter_email ?? '',
    first_name: row.inviter_first_name ?? '',
    last_name: row.inviter_last_name ?? '',
  })

/** An invitation as the API returns it. */
export const presentInvitation = (row: InvitationRow): Invitation => ({
  name: resourceNames.invitation.format({ organization: row.organization_id, invitation: row.id }),
  invitee_email: row.invitee_email,
  role: { value: row.role },
  inviter: inviterOf(row),
  create_time: row.create_time.toISOString(),
  send_time: row.send_time.toISOString(),
  expire_time: row.expire_time.toISOString(),
})

/** Reads an invitation that is neither accepted nor revoked. Throws 404 for any other. */
export const readOpenInvitation = async (
  db: Db,
  organizationId: string,
  invitationId: string,
): Promise<InvitationRow> => {
  const row = await invitationsOf(db)
    .where('invitations.id', '=', invitationId)
    .where('invitations.organization_id', '=', organizationId)
    .where('invitations.accept_time', 'is', null)
    .where('invitations.revoke_time', 'is', null)
    .executeTakeFirst()
  if (row === undefined) throw notFound('invitation not found')
  return row
}

/** Lifetime of an invitation or an invitation link, in ms. */
export const invitationLifeMs = 7 * 24 * 3_600_000

type Lifetime = { expire_time: Date; revoke_time: Date | null; accept_time?: Date | null }

const whyGone = (row: Lifetime, now: number): string | undefined => {
  if (row.accept_time) return 'This invitation was already used'
  if (row.revoke_time !== null) return 'This invitation was revoked; ask for a new one'
  return row.expire_time.getTime() <= now ? 'This invitation has expired; ask for a new one' : undefined
}

/** Whether an invitation or a link is still valid. */
export const isLive = (row: Lifetime, now: number): boolean => whyGone(row, now) === undefined

/** Throws 410 with advice if an invitation or a link is no longer valid. */
export const requireLive = (row: Lifetime, now: number): void => {
  const message = whyGone(row, now)
  if (message !== undefined) throw new AppError(410, 'INVITATION_GONE', message)
}
