import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { oldestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentMembership } from './present.ts'

/** Lists the caller's own memberships, oldest first. A platform admin can list those of any user. */
export const listMemberships =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.memberships.list> =>
  async ({ params, query }) => {
    const { rows: shown, next } = await oldestFirst(
      { name: 'memberships.list', table: 'memberships', params, query },
      db
        .selectFrom('memberships')
        .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
        .select([
          'memberships.id',
          'memberships.organization_id',
          'memberships.user_id',
          'memberships.role',
          'memberships.create_time',
          'organizations.title',
        ])
        .where('memberships.user_id', '=', params.user),
    )
    return { memberships: shown.map(presentMembership), next_page_token: next }
  }
