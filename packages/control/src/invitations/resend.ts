import { audit, isId, lockOrganizationFor, newToken } from '@tributary/api-kit'
import { withinSeats } from '@tributary/billing'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound, rateLimited } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { mailInvitation } from './mail.ts'
import { invitationLifeMs, presentInvitation, readOpenInvitation } from './read.ts'
import { countInvitations, resendPauseMs } from './send-limit.ts'

const requirePause = (sentTime: Date, now: number): void => {
  const left = sentTime.getTime() + resendPauseMs - now
  if (left <= 0) return
  const seconds = Math.ceil(left / 1000)
  throw rateLimited(`This invitation was just sent. Try again in ${seconds} seconds`, left)
}

/**
 * Mails an invitation again with a new link that is valid for seven days, and invalidates the old link. Allowed once
 * every 30 seconds.
 */
export const resendInvitation =
  (
    deps: Pick<ControlDeps, 'db' | 'billing' | 'jobs' | 'clock' | 'counters' | 'publicUrl'>,
  ): Handler<typeof methods.invitations.resend> =>
  async ({ actor, organization, params }) => {
    const { db, jobs, clock, counters, publicUrl } = deps
    const { id: organizationId } = organization
    if (!isId(params.invitation)) throw notFound('invitation not found')
    const takeBack = await countInvitations(counters, { organizationId, userId: actor.userId }, 1)
    try {
      return await db.transaction().execute(async (tx) => {
        await lockOrganizationFor(tx, actor, organization)
        const before = await readOpenInvitation(tx, organizationId, params.invitation)
        const now = clock()
        requirePause(before.send_time, now)
        const { token, hash } = newToken()
        const times = { send_time: new Date(now), expire_time: new Date(now + invitationLifeMs) }
        await withinSeats(tx, deps, organizationId, () =>
          tx
            .updateTable('invitations')
            .set({ ...times, token_hash: hash })
            .where('id', '=', before.id)
            .execute(),
        )
        const row = { ...before, ...times }
        await mailInvitation(tx, { jobs, publicUrl }, row, token)
        await audit(tx, resourceNames.invitation.format({ organization: organizationId, invitation: row.id }), {
          invitee_email: row.invitee_email,
        })
        return presentInvitation(row)
      })
    } catch (error) {
      await takeBack()
      throw error
    }
  }
