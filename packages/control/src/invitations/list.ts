import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { invitationsOf, presentInvitation } from './read.ts'

/** Lists the invitations that are neither accepted nor revoked, newest first, for administrators only. */
export const listInvitations =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.invitations.list> =>
  async ({ organization: { id: organizationId }, params, query }) => {
    const { rows: shown, next } = await newestFirst(
      { name: 'invitations.list', table: 'invitations', params, query },
      invitationsOf(db)
        .where('invitations.organization_id', '=', organizationId)
        .where('invitations.accept_time', 'is', null)
        .where('invitations.revoke_time', 'is', null),
    )
    return { invitations: shown.map(presentInvitation), next_page_token: next }
  }
