import { createdCursor, createdCursorOf, newerThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentMember } from './present.ts'
import { membersOf } from './read.ts'

/** Lists the members of an organisation, for all of them; the oldest membership first. */
export const listOrganizationMemberships =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.memberships.listByOrganization> =>
  async ({ organization: { id: organizationId }, params, query }) => {
    const page = openPage('memberships.listByOrganization', params, query, createdCursor)
    const rows = await membersOf(db, organizationId)
      .where(newerThan('memberships', page.after))
      .orderBy('memberships.create_time')
      .orderBy('memberships.id')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    return { memberships: shown.map(presentMember), next_page_token: next }
  }
