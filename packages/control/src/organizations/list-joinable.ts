import { createdCursor, createdCursorOf, newerThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { verifiedDomain } from '../users/verified-domain.ts'
import { presentOrganization } from './present.ts'
import { selectOrganizations } from './select.ts'

/**
 * Lists the organizations that are open to the domain of the caller's verified address. Leaves out those to which the
 * caller belongs or that removed the caller.
 */
export const listJoinableOrganizations =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.organizations.listJoinable> =>
  async ({ actor: { userId }, params, query }) => {
    const page = openPage('organizations.listJoinable', params, query, createdCursor)
    const domain = await verifiedDomain(db, userId)
    if (domain === '') return { organizations: [], next_page_token: '' }
    const rows = await selectOrganizations(db)
      .where('auto_join_domain', '=', domain)
      .where('organizations.id', 'not in', (memberships) =>
        memberships.selectFrom('memberships').select('organization_id').where('user_id', '=', userId),
      )
      .where('organizations.id', 'not in', (former) =>
        former
          .selectFrom('former_members')
          .select('organization_id')
          .where('user_id', '=', userId)
          .where('removed', '=', true),
      )
      .where(newerThan('organizations', page.after))
      .orderBy('organizations.create_time')
      .orderBy('organizations.id')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    return {
      organizations: shown.map(presentOrganization).map(({ name, display_name, extra }) => ({
        name,
        display_name,
        logo: extra.logo,
      })),
      next_page_token: next,
    }
  }
