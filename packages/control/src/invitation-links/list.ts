import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentInvitationLink } from './read.ts'

/** Lists the valid invitation links, newest first, for administrators only. */
export const listInvitationLinks =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.invitationLinks.list> =>
  async ({ actor, organization: { id: organizationId }, params, query }) => {
    const { rows: shown, next } = await newestFirst(
      { name: 'invitationLinks.list', table: 'invitation_links', params, query },
      db
        .selectFrom('invitation_links')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('revoke_time', 'is', null)
        .where('expire_time', '>', new Date(clock())),
    )
    return { invitation_links: shown.map((row) => presentInvitationLink(row, actor)), next_page_token: next }
  }
