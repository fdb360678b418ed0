import { createdCursor, createdCursorOf, newerThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentMembership } from './present.ts'

/** The caller's own memberships, or those of any user for a platform admin; oldest first. */
export const listMemberships =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.memberships.list> =>
  async ({ params, query }) => {
    const page = openPage('memberships.list', params, query, createdCursor)
    const rows = await db
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
      .where('memberships.user_id', '=', params.user)
      .where(newerThan('memberships', page.after))
      .orderBy('memberships.create_time')
      .orderBy('memberships.id')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    return { memberships: shown.map(presentMembership), next_page_token: next }
  }
