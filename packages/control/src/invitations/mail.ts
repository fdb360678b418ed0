import { invitationMail, queueMail, type Tx } from '@tributary/api-kit'
import type { ControlDeps } from '../deps.ts'
import { type InvitationRow, inviterOf } from './read.ts'

/** Queues the mail with the link of an invitation. The mail is no longer tried once the invitation has expired. */
export const mailInvitation = async (
  tx: Tx,
  { jobs, publicUrl }: Pick<ControlDeps, 'jobs' | 'publicUrl'>,
  row: InvitationRow,
  token: string,
): Promise<void> => {
  const { title } = await tx
    .selectFrom('organizations')
    .select('title')
    .where('id', '=', row.organization_id)
    .executeTakeFirstOrThrow()
  await queueMail(tx, jobs, {
    recipient: row.invitee_email,
    mail: invitationMail({
      inviter: inviterOf(row),
      organization: title,
      role: row.role,
      url: `${publicUrl()}/invitations/${row.id}?token=${token}`,
      expireTime: row.expire_time,
    }),
    time: row.send_time,
    expireTime: row.expire_time,
  })
}
