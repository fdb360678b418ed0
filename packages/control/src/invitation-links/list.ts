import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentInvitationLink } from './read.ts'

/** The links that still work, the newest first. Administrators only. */
export const listInvitationLinks =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.invitationLinks.list> =>
  async ({ actor, organization: { id: organizationId }, params, query }) => {
    const page = openPage('invitationLinks.list', params, query, createdCursor)
    const rows = await db
      .selectFrom('invitation_links')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('revoke_time', 'is', null)
      .where('expire_time', '>', new Date(clock()))
      .where(olderThan('invitation_links', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    return { invitation_links: shown.map((row) => presentInvitationLink(row, actor)), next_page_token: next }
  }
