import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { oldestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentMember } from './present.ts'
import { membersOf } from './read.ts'

/** Lists the members of an organization, the oldest membership first. Every member may call it. */
export const listOrganizationMemberships =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.memberships.listByOrganization> =>
  async ({ organization: { id: organizationId }, params, query }) => {
    const { rows: shown, next } = await oldestFirst(
      { name: 'memberships.listByOrganization', table: 'memberships', params, query },
      membersOf(db, organizationId),
    )
    return { memberships: shown.map(presentMember), next_page_token: next }
  }
