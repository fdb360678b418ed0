import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import { presentSummaries } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** The audiences of a workspace, newest first. */
export const listAudiences =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('audiences.list', params, query, createdCursor)
    const found = await db
      .selectFrom('audiences')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where(olderThan('audiences', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return { audiences: await presentSummaries(db, rows), next_page_token: next }
  }
