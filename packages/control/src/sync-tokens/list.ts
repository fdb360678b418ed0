import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentSyncToken } from './present.ts'

/** The valid tokens of a workspace, newest first. */
export const listSyncTokens =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncTokens.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('syncTokens.list', params, query, createdCursor)
    const found = await db
      .selectFrom('sync_tokens')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where('revoke_time', 'is', null)
      .where(olderThan('sync_tokens', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return { sync_tokens: rows.map(presentSyncToken), next_page_token: next }
  }
