import { createdCursor, createdCursorOf, isId, mayReadUser, newerThan, openPage } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { forbidden } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentWorkspace } from '../organizations/present.ts'
import { selectOrganizations } from '../organizations/select.ts'

/**
 * Lists the workspaces of the organizations to which a user belongs. Throws 403 for the list of another user. An API
 * key gets the workspaces that it can access, and must not name a user.
 */
export const listWorkspaces =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.workspaces.list> =>
  async ({ actor, params, query }) => {
    const { key } = actor
    if (key !== undefined && query.user !== undefined)
      throw forbidden('API keys list their own workspaces: leave out `user`')
    const asked = query.user ?? actor.userId
    const user = resourceNames.user.parse(asked)?.user ?? asked
    if (!mayReadUser(actor, user)) throw forbidden()
    const page = openPage('workspaces.list', params, query, createdCursor)
    if (!isId(user)) return { workspaces: [], next_page_token: '' }
    const rows = await db
      .selectFrom('workspaces')
      .selectAll()
      .where((where) => {
        if (key?.workspaceId != null) return where('id', '=', key.workspaceId)
        if (key !== undefined) return where('organization_id', '=', actor.memberships[0]?.organizationId ?? null)
        return where('organization_id', 'in', (query_) =>
          query_
            .selectFrom('memberships')
            .select('memberships.organization_id')
            .where('memberships.user_id', '=', user),
        )
      })
      .where('delete_time', 'is', null)
      .where(newerThan('workspaces', page.after))
      .orderBy('create_time')
      .orderBy('id')
      .limit(page.size + 1)
      .execute()
    const { rows: shown, next } = page.cut(rows, createdCursorOf)
    const ids = [...new Set(shown.map((row) => row.organization_id))]
    const organizations =
      ids.length === 0 ? [] : await selectOrganizations(db).where('organizations.id', 'in', ids).execute()
    const byId = new Map(organizations.map((row) => [row.id, row]))
    return {
      workspaces: shown.flatMap((row) => {
        const organization = byId.get(row.organization_id)
        return organization === undefined ? [] : [presentWorkspace(row, organization)]
      }),
      next_page_token: next,
    }
  }
