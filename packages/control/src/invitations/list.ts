import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { invitationsOf, presentInvitation } from './read.ts'

/** Invitations that are neither accepted nor revoked, the newest first. Administrators only. */
export const listInvitations =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.invitations.list> =>
  async ({ organization: { id: organizationId }, params, query }) => {
    const page = openPage('invitations.list', params, query, createdCursor)
    const rows = await invitationsOf(db)
      .where('invitations.organization_id', '=', organizationId)
      .where('invitations.accept_time', 'is', null)
      .where('invitations.revoke_time', 'is', null)
      .where(olderThan('invitations', page.after))
      .orderBy('invitations.create_time', 'desc')
      .orderBy('invitations.id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    return { invitations: shown.map(presentInvitation), next_page_token: next }
  }
